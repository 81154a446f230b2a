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

/** Claims and what they ask for, altogether and of each storage class; the status says when a claim got more. */
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

/** In whole bytes. What was already allocated counts when it is more. */
function storageOf({ spec, status }: ReadonlyClaim): Quantity | undefined {
  const wanted = spec?.resources?.requests?.['storage']
  if (wanted === undefined) return undefined
  const amounts = [wanted, status?.allocatedResources?.['storage'] ?? '0'].map((text) => parseQuantity(text))
  const most = amounts[1]!.compare(amounts[0]!) > 0 ? amounts[1]! : amounts[0]!
  const whole = parseQuantity(String(most.value()))
  return whole.equals(most) ? most : whole
}

function attributesClasses({ spec, status }: ReadonlyClaim): readonly string[] {
  const names = [
    spec?.volumeAttributesClassName,
    status?.currentVolumeAttributesClassName,
    status?.modifyVolumeStatus?.targetVolumeAttributesClassName,
  ]
  return names.flatMap((name) => (name ? [name] : []))
}
