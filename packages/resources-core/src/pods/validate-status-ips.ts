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

/** One address, or one of each family. */
function validateAddresses(addresses: Addresses, old: Addresses, path: FieldPath): FieldErrorList {
  const known = new Set(old.map(({ ip = '' }) => ip))
  const texts = addresses.map(({ ip = '' }) => ip)
  const errors = texts.flatMap((text, i) => validateLegacyIP(text, path.index(i), known))
  if (texts.length < 2) return errors
  const printed = texts.map((IP) => ({ IP }))
  const parsed = texts.map((text) => parseIP(text))
  const bad = parsed.indexOf(undefined)
  if (bad >= 0) {
    errors.push(fieldError.internal(path, `failed to check for dual stack with error:invalid IP[${bad}]: ${texts[bad]}`))
  }
  const families = new Set(parsed.map((address) => address?.family))
  if (bad >= 0 || families.size < 2 || texts.length > 2) {
    errors.push(fieldError.invalid(path, printed, 'may specify no more than one IP for each IP family'))
  }
  return errors
}
