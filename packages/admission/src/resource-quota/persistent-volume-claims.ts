import type { PersistentVolumeClaim } from '@keelson/api/core/v1'
import { parseQuantity } from '@keelson/apimachinery'
import type { DeepReadonly, Quantity } from '@keelson/apimachinery'
import { one } from './amounts.ts'
import { selects } from './evaluator.ts'
import type { Evaluator } from './evaluator.ts'

type ReadonlyClaim = DeepReadonly<PersistentVolumeClaim>

const count = 'count/persistentvolumeclaims'
const claims = 'persistentvolumeclaims'
const requested = 'requests.storage'
const ofClass = '.storageclass.storage.k8s.io/'

/** Counts claims and requested storage, in total and by storage class. A larger allocation in the status counts instead. */
export const persistentVolumeClaimEvaluator: Evaluator = {
  handles({ operation, subresource }) {
    if (subresource === 'status') return operation === 'UPDATE'
    return subresource === '' && (operation === 'CREATE' || operation === 'UPDATE')
  },
  matching: (name) => name === count || [claims, requested].some((limited) => name === limited || name.endsWith(`${ofClass}${limited}`)),
  usage(object) {
    const claim = object as ReadonlyClaim
    const storage = storageOf(claim)
    const used = new Map<string, Quantity>([[count, one], [claims, one], ...(storage === undefined ? [] : [[requested, storage] as const])])
    const storageClass = claim.metadata.annotations?.['volume.beta.kubernetes.io/storage-class'] ?? claim.spec?.storageClassName ?? ''
    if (storageClass === '') return used
    used.set(`${storageClass}${ofClass}${claims}`, one)
    if (storage !== undefined) used.set(`${storageClass}${ofClass}${requested}`, storage)
    return used
  },
  inScope(selector, object) {
    if (selector.scopeName !== 'VolumeAttributesClass') return false
    const classes = attributesClasses(object)
    return classes.length === 0 ? selects(selector, undefined) : classes.some((name) => selects(selector, name))
  },
}

/** In whole bytes. Uses the allocated size if it is larger than the request. */
function storageOf({ spec, status }: ReadonlyClaim): Quantity | undefined {
  const wanted = spec?.resources?.requests?.['storage']
  if (wanted === undefined) return undefined
  const amounts = [wanted, status?.allocatedResources?.['storage'] ?? '0'].map((text) => parseQuantity(text))
  const largest = amounts[1]!.compare(amounts[0]!) > 0 ? amounts[1]! : amounts[0]!
  const whole = parseQuantity(String(largest.value()))
  return whole.equals(largest) ? largest : whole
}

function attributesClasses({ spec, status }: ReadonlyClaim): readonly string[] {
  const names = [
    spec?.volumeAttributesClassName,
    status?.currentVolumeAttributesClassName,
    status?.modifyVolumeStatus?.targetVolumeAttributesClassName,
  ]
  return names.flatMap((name) => (name ? [name] : []))
}
