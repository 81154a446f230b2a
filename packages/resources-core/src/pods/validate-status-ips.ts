import type { PodStatus } from '@keelson/api/core/v1'
import { fieldError } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { parseIP, validateLegacyIP } from '../ip-address.ts'

type Status = DeepReadonly<PodStatus>
type Addresses = readonly { readonly ip?: string }[]

export function validatePodIPs(status: Status, old: Status, path: FieldPath): FieldErrorList {
  return validateAddresses(status.podIPs ?? [], old.podIPs ?? [], path)
}

export function validateHostIPs(status: Status, old: Status, path: FieldPath): FieldErrorList {
  const first = status.hostIPs?.[0]?.ip ?? ''
  if ((status.hostIPs ?? []).length === 0) return []
  const errors = (status.hostIP ?? '') === first ? [] : [fieldError.invalid(path.index(0).child('ip'), first, 'must be equal to `hostIP`')]
  return [...errors, ...validateAddresses(status.hostIPs ?? [], old.hostIPs ?? [], path)]
}

/** Validates the IP addresses in a pod status. Allows one address per IP family. */
function validateAddresses(addresses: Addresses, old: Addresses, path: FieldPath): FieldErrorList {
  const oldIPs = new Set(old.map(({ ip = '' }) => ip))
  const ips = addresses.map(({ ip = '' }) => ip)
  const errors = ips.flatMap((text, i) => validateLegacyIP(text, path.index(i), oldIPs))
  if (ips.length < 2) return errors
  const printed = ips.map((IP) => ({ IP }))
  const parsed = ips.map((text) => parseIP(text))
  const invalidIndex = parsed.indexOf(undefined)
  if (invalidIndex >= 0) {
    errors.push(fieldError.internal(path, `failed to check for dual stack with error:invalid IP[${invalidIndex}]: ${ips[invalidIndex]}`))
  }
  const families = new Set(parsed.map((address) => address?.family))
  if (invalidIndex >= 0 || families.size < 2 || ips.length > 2) {
    errors.push(fieldError.invalid(path, printed, 'may specify no more than one IP for each IP family'))
  }
  return errors
}
