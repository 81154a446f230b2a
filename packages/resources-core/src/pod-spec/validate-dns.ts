import type { HostAlias } from '@keelson/api/core/v1'
import { measureUtf8Bytes, fieldError, isDNS1123SubdomainWithUnderscore } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { validateLegacyIP } from '../ip-address.ts'
import { createInvalidErrors, validateDNSSubdomain, validateItems } from './field-rules.ts'
import type { ReadonlyPodSpec } from './visit-containers.ts'

const maxNameservers = 3
const maxSearchPaths = 32
const maxSearchLength = 2048

export function validateDNSConfig({ dnsConfig: config, dnsPolicy }: ReadonlyPodSpec, specPath: FieldPath): FieldErrorList {
  if (config === undefined && dnsPolicy !== 'None') return []
  const path = specPath.child('dnsConfig')
  const { nameservers = [], searches = [], options = [] } = config ?? {}
  if (dnsPolicy === 'None') {
    if (config === undefined) return [fieldError.required(path, 'must provide `dnsConfig` when `dnsPolicy` is None')]
    if (nameservers.length === 0) {
      return [fieldError.required(path.child('nameservers'), 'must provide at least one DNS nameserver when `dnsPolicy` is None')]
    }
  }
  const countErrors: FieldErrorList = []
  const serversPath = path.child('nameservers')
  if (nameservers.length > maxNameservers) {
    countErrors.push(fieldError.invalid(serversPath, nameservers, `must not have more than ${maxNameservers} nameservers`))
  }
  const errors = [
    ...countErrors,
    ...validateItems(nameservers, serversPath, validateLegacyIP),
    ...validateSearches(searches, path.child('searches')),
  ]
  for (const [i, option] of options.entries()) {
    if (!option.name) errors.push(fieldError.required(path.child('options').index(i), 'must not be empty'))
  }
  return errors
}

function validateSearches(searches: readonly string[], path: FieldPath): FieldErrorList {
  const errors: FieldErrorList = []
  if (searches.length > maxSearchPaths) {
    errors.push(fieldError.invalid(path, searches, `must not have more than ${maxSearchPaths} search paths`))
  }
  if (measureUtf8Bytes(searches.join(' ')) > maxSearchLength) {
    const detail = `must not have more than ${maxSearchLength} characters (including spaces) in the search list`
    errors.push(fieldError.invalid(path, searches, detail))
  }
  for (const [i, search] of searches.entries()) {
    if (search === '.') continue
    const name = search.endsWith('.') ? search.slice(0, -1) : search
    errors.push(...createInvalidErrors(isDNS1123SubdomainWithUnderscore(name), name, path.index(i)))
  }
  return errors
}

export function validateHostAliases(aliases: readonly DeepReadonly<HostAlias>[], path: FieldPath): FieldErrorList {
  return aliases.flatMap(({ ip = '', hostnames = [] }, i) => [
    ...validateLegacyIP(ip, path.index(i).child('ip')),
    ...hostnames.flatMap((hostname, j) => validateDNSSubdomain(hostname, path.index(i).child('hostnames').index(j))),
  ])
}

const maxHostname = 64

/** Validates `hostnameOverride`. This field replaces the hostname that the kubelet derives from name and subdomain. */
export function validateHostnameOverride(spec: ReadonlyPodSpec, specPath: FieldPath): FieldErrorList {
  const { hostnameOverride: name } = spec
  if (name === undefined) return []
  const path = specPath.child('hostnameOverride')
  const errors: FieldErrorList = []
  if (spec.setHostnameAsFQDN === true) {
    errors.push(fieldError.forbidden(path, 'may not be specified when setHostnameAsFQDN is true'))
  }
  if (spec.hostNetwork === true) errors.push(fieldError.forbidden(path, 'may not be specified when hostNetwork is true'))
  if (measureUtf8Bytes(name) > maxHostname) errors.push(fieldError.tooLong(path, maxHostname))
  return [...errors, ...validateDNSSubdomain(name, path)]
}
