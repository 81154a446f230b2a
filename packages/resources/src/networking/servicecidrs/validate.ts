import type { ServiceCIDR } from '@keelson/api/networking/v1'
import { fieldError, newFieldPath, goJson, immutableMessage, createVerbatimValue } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList } from '@keelson/apimachinery'
import { parseCidr, validateCidr } from '@keelson/resources-core'

type ReadonlyCIDR = DeepReadonly<ServiceCIDR>

const path = newFieldPath('spec', 'cidrs')

export function validateServiceCIDR({ spec }: ReadonlyCIDR): FieldErrorList {
  const cidrs = spec?.cidrs ?? []
  if (cidrs.length === 0) return [fieldError.required(path, 'at least one CIDR required')]
  if (cidrs.length > 2) return [fieldError.invalid(path, createVerbatimValue(goJson({ CIDRs: cidrs })), 'may only hold up to 2 values')]
  const errors = cidrs.flatMap((cidr, i) => validateCidr(cidr, path.index(i)))
  const families = cidrs.map((cidr) => parseCidr(cidr)?.network.family)
  if (cidrs.length === 2 && families[0] !== undefined && families[0] === families[1]) {
    const detail = 'may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64'
    errors.push(fieldError.invalid(path, cidrs, detail))
  }
  return errors
}

/** Validates an update of a ServiceCIDR. CIDRs are immutable, but a second one can be added for dual-stack. */
export function validateServiceCIDRUpdate(cidr: ReadonlyCIDR, old: ReadonlyCIDR): FieldErrorList {
  const after = cidr.spec?.cidrs ?? []
  const before = old.spec?.cidrs ?? []
  const addsFamily = before.length === 1 && after.length === 2
  if (before.length !== after.length && !addsFamily) return [fieldError.invalid(path, after, immutableMessage)]
  const errors = before.flatMap((range, i) => (range === after[i] ? [] : [fieldError.invalid(path.index(i), after[i], immutableMessage)]))
  return addsFamily ? [...errors, ...validateServiceCIDR(cidr)] : errors
}
