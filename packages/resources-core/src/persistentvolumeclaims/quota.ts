import type { PersistentVolumeClaim } from '@keelson/api/core/v1'
import { parseQuantity } from '@keelson/apimachinery'
import type { DeepReadonly, Quantity } from '@keelson/apimachinery'
import { oneObject, selectsScope } from '@keelson/registry'
import type { QuotaRules } from '@keelson/registry'

type ReadonlyClaim = DeepReadonly<PersistentVolumeClaim>

const count = 'count/persistentvolumeclaims'
const claims = 'persistentvolumeclaims'
const requested = 'requests.storage'
const storageClassSuffix = '.storageclass.storage.k8s.io/'

/**
 * Quota rules of PersistentVolumeClaims. Counts claims and requested storage, in total and by storage class. Uses the allocated size if it
 * is larger than the requested size.
 */
export const claimQuota: QuotaRules<PersistentVolumeClaim> = {
  isCharged({ operation, subresource }) {
    if (subresource === 'status') return operation === 'UPDATE'
    return subresource === '' && (operation === 'CREATE' || operation === 'UPDATE')
  },
  isLimitedBy: (limit) =>
    limit === count || [claims, requested].some((name) => limit === name || limit.endsWith(`${storageClassSuffix}${name}`)),
  computeUsage(claim) {
    const storage = readStorageRequest(claim)
    const used = new Map<string, Quantity>([
      [count, oneObject],
      [claims, oneObject],
      ...(storage === undefined ? [] : [[requested, storage] as const]),
    ])
    const storageClass = claim.metadata.annotations?.['volume.beta.kubernetes.io/storage-class'] ?? claim.spec?.storageClassName ?? ''
    if (storageClass === '') return used
    used.set(`${storageClass}${storageClassSuffix}${claims}`, oneObject)
    if (storage !== undefined) used.set(`${storageClass}${storageClassSuffix}${requested}`, storage)
    return used
  },
  isInScope(selector, claim) {
    if (selector.scopeName !== 'VolumeAttributesClass') return false
    const classes = listAttributesClasses(claim)
    return classes.length === 0 ? selectsScope(selector, undefined) : classes.some((name) => selectsScope(selector, name))
  },
}

/** Returns the storage that a claim uses, in whole bytes: its requested size or its allocated size, whichever is larger. */
function readStorageRequest({ spec, status }: ReadonlyClaim): Quantity | undefined {
  const request = spec?.resources?.requests?.['storage']
  if (request === undefined) return undefined
  const amounts = [request, status?.allocatedResources?.['storage'] ?? '0'].map((text) => parseQuantity(text))
  const largestAmount = amounts[1]!.compare(amounts[0]!) > 0 ? amounts[1]! : amounts[0]!
  const roundedUp = parseQuantity(String(largestAmount.value()))
  return roundedUp.equals(largestAmount) ? largestAmount : roundedUp
}

function listAttributesClasses({ spec, status }: ReadonlyClaim): readonly string[] {
  const names = [
    spec?.volumeAttributesClassName,
    status?.currentVolumeAttributesClassName,
    status?.modifyVolumeStatus?.targetVolumeAttributesClassName,
  ]
  return names.flatMap((name) => (name ? [name] : []))
}
