import type { Ingress } from '@keelson/api/networking/v1'
import { fieldError, newFieldPath, isDNS1123Subdomain } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { createInvalidErrors, parseIP, validateLegacyIP } from '@keelson/resources-core'

/** Validates the status of an ingress. Addresses that `old` already had are valid in any format (ratcheting). */
export function validateIngressStatus({ status }: DeepReadonly<Ingress>, old: DeepReadonly<Ingress>): FieldErrorList {
  const path = newFieldPath('status', 'loadBalancer', 'ingress')
  const oldAddresses = new Set((old.status?.loadBalancer?.ingress ?? []).map(({ ip = '' }) => ip))
  const entries = status?.loadBalancer?.ingress ?? []
  const errors: FieldErrorList = []
  for (const [i, { ip = '', hostname = '' }] of entries.entries()) {
    if (ip !== '') errors.push(...validateLegacyIP(ip, path.index(i).child('ip'), oldAddresses))
    if (hostname !== '') errors.push(...validateHostname(hostname, path.index(i).child('hostname')))
  }
  return errors
}

function validateHostname(hostname: string, path: FieldPath): FieldErrorList {
  return [...createInvalidErrors(isDNS1123Subdomain(hostname), hostname, path), ...rejectIPAddress(hostname, path)]
}

export function rejectIPAddress(host: string, path: FieldPath): FieldErrorList {
  return parseIP(host) === undefined ? [] : [fieldError.invalid(path, host, 'must be a DNS name, not an IP address')]
}
