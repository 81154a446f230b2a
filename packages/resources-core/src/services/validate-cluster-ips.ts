import { fieldError, newFieldPath, repeatCheck } from '@keelson/apimachinery'
import type { FieldErrorList } from '@keelson/apimachinery'
import { parseIP, validateLegacyIP } from '../ip-address.ts'
import { isHeadless, noClusterIP } from './service-facts.ts'
import type { ReadonlySpec } from './service-facts.ts'

const ipsPath = newFieldPath('spec', 'clusterIPs')
const familiesPath = newFieldPath('spec', 'ipFamilies')
const policyPath = newFieldPath('spec', 'ipFamilyPolicy')
const families = ['IPv4', 'IPv6']
const policies = ['PreferDualStack', 'RequireDualStack', 'SingleStack']

/** Validates that cluster IPs, IP families and the family policy of a service are consistent. */
export function validateClusterIPs(spec: ReadonlySpec, old: ReadonlySpec | undefined): FieldErrorList {
  if (spec.type === 'ExternalName') return []
  const { clusterIPs = [], ipFamilyPolicy } = spec
  const errors = [...validatePrimaryIP(spec), ...validateFamilies(spec)]
  if (ipFamilyPolicy !== undefined && !policies.includes(ipFamilyPolicy)) {
    errors.push(fieldError.notSupported(policyPath, ipFamilyPolicy, policies))
  }
  const addressErrors = validateAddresses(clusterIPs, old?.clusterIPs)
  errors.push(...addressErrors)
  if (clusterIPs.length > 2) errors.push(fieldError.invalid(ipsPath, clusterIPs, 'may only hold up to 2 values'))
  // Stop here, because the remaining rules would report misleading errors for invalid addresses.
  if (addressErrors.length > 0) return errors
  if (clusterIPs.length > 1 && new Set(clusterIPs.map(getFamily)).size < 2) {
    errors.push(fieldError.invalid(ipsPath, clusterIPs, 'may specify no more than one IP for each IP family'))
  }
  return isHeadless(spec) ? errors : [...errors, ...validateFamiliesOfAddresses(spec)]
}

export function getFamily(ip: string): 'IPv4' | 'IPv6' {
  return parseIP(ip)?.family === 6 ? 'IPv6' : 'IPv4'
}

/** Validates the legacy field `clusterIP`, which must equal the first of `clusterIPs`. */
function validatePrimaryIP({ clusterIP = '', clusterIPs = [] }: ReadonlySpec): FieldErrorList {
  if (clusterIP === '') {
    return clusterIPs.length === 0 ? [] : [fieldError.invalid(ipsPath, clusterIPs, 'must be empty when `clusterIP` is not specified')]
  }
  if (clusterIPs.length === 0) return [fieldError.required(ipsPath)]
  return clusterIPs[0] === clusterIP ? [] : [fieldError.invalid(ipsPath, clusterIPs, 'first value must match `clusterIP`')]
}

function validateFamilies({ ipFamilies = [] }: ReadonlySpec): FieldErrorList {
  const isRepeated = repeatCheck<string>()
  return ipFamilies.flatMap((family, i) => [
    ...(families.includes(family) ? [] : [fieldError.notSupported(familiesPath.index(i), family, families)]),
    ...(isRepeated(family) ? [fieldError.duplicate(familiesPath.index(i), family)] : []),
  ])
}

function validateAddresses(clusterIPs: readonly string[], oldIPs: readonly string[] | undefined): FieldErrorList {
  const knownIPs = new Set(oldIPs)
  return clusterIPs.flatMap((ip, i) => {
    if (i > 0 || ip !== noClusterIP) return validateLegacyIP(ip, ipsPath.index(i), knownIPs)
    return clusterIPs.length === 1 ? [] : [fieldError.invalid(ipsPath, clusterIPs, "'None' must be the first and only value")]
  })
}

function validateFamiliesOfAddresses({ clusterIPs = [], ipFamilies = [] }: ReadonlySpec): FieldErrorList {
  return clusterIPs.flatMap((ip, i) => {
    const family = ipFamilies[i]
    if (family === undefined || !families.includes(family) || getFamily(ip) === family) return []
    return [fieldError.invalid(ipsPath.index(i), ip, `expected an ${family} value as indicated by \`ipFamilies[${i}]\``)]
  })
}
