import type { Endpoint, EndpointHints } from '@keelson/api/discovery/v1'
import {
  fieldError,
  isDNS1123Label,
  isDNS1123Subdomain,
  isValidLabelValue,
  nameIsDNSSubdomain,
  repeatCheck,
  validateLabels,
} from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { findEndpointIPErrors, createInvalidErrors, parseIP, validateDNSLabel, validateIP, validateLegacyIP } from '@keelson/resources-core'

type ReadonlyEndpoint = DeepReadonly<Endpoint>

const maxEndpoints = 1000
const maxAddresses = 100
const maxTopologyLabels = 16
const maxHints = 8

export function validateEndpoints(endpoints: readonly ReadonlyEndpoint[], addressType: string, path: FieldPath): FieldErrorList {
  if (endpoints.length > maxEndpoints) return [fieldError.tooMany(path, endpoints.length, maxEndpoints)]
  return endpoints.flatMap((endpoint, i) => {
    const at = path.index(i)
    const { nodeName, hostname, hints } = endpoint
    return [
      ...validateAddresses(endpoint.addresses ?? [], addressType, at.child('addresses')),
      ...(nodeName === undefined ? [] : createInvalidErrors(nameIsDNSSubdomain(nodeName, false), nodeName, at.child('nodeName'))),
      ...validateTopology(endpoint, at.child('deprecatedTopology')),
      ...(hostname === undefined ? [] : validateDNSLabel(hostname, at.child('hostname'))),
      ...(hints === undefined ? [] : validateHints(hints, at.child('hints'))),
    ]
  })
}

function validateAddresses(addresses: readonly string[], addressType: string, path: FieldPath): FieldErrorList {
  const errors: FieldErrorList = []
  if (addresses.length === 0) errors.push(fieldError.required(path, 'must contain at least 1 address'))
  else if (addresses.length > maxAddresses) errors.push(fieldError.tooMany(path, addresses.length, maxAddresses))
  for (const [i, address] of addresses.entries()) {
    if (addressType === 'FQDN') errors.push(...validateDomainName(address, path.index(i)))
    else if (addressType === 'IPv4' || addressType === 'IPv6') errors.push(...validateAddress(address, addressType, path, i))
  }
  return errors
}

function validateAddress(address: string, family: 'IPv4' | 'IPv6', path: FieldPath, i: number): FieldErrorList {
  const at = path.index(i)
  const errors = family === 'IPv4' ? validateLegacyIP(address, at) : validateIP(address, at)
  if (errors.length > 0) return errors
  const actual = parseIP(address)?.family === 4 ? 'IPv4' : 'IPv6'
  return [
    ...(actual === family ? [] : [fieldError.invalid(path, address, `must be an ${family} address`)]),
    ...createInvalidErrors(findEndpointIPErrors(address), address, at),
  ]
}

function validateDomainName(text: string, path: FieldPath): FieldErrorList {
  if (text === '') return [fieldError.required(path)]
  const name = text.endsWith('.') ? text.slice(0, -1) : text
  const messages = isDNS1123Subdomain(name)
  if (messages.length > 0) return [fieldError.invalid(path, name, messages.join(','))]
  const labels = name.split('.')
  if (labels.length < 2) return [fieldError.invalid(path, name, 'should be a domain with at least two segments separated by dots')]
  const invalidLabel = labels.find((label) => isDNS1123Label(label).length > 0)
  return invalidLabel === undefined ? [] : [fieldError.invalid(path, invalidLabel, isDNS1123Label(invalidLabel).join(','))]
}

function validateTopology({ deprecatedTopology = {} }: ReadonlyEndpoint, path: FieldPath): FieldErrorList {
  const count = Object.keys(deprecatedTopology).length
  return [
    ...(count > maxTopologyLabels ? [fieldError.tooMany(path, count, maxTopologyLabels)] : []),
    ...validateLabels(deprecatedTopology, path),
  ]
}

function validateHints({ forZones = [], forNodes = [] }: DeepReadonly<EndpointHints>, path: FieldPath): FieldErrorList {
  const listNames = (list: readonly { readonly name: string }[]): string[] => list.map(({ name }) => name)
  const zones = validateHintNames(listNames(forZones), path.child('forZones'), isValidLabelValue)
  // If there are too many zones, nodes are not validated.
  if (forZones.length > maxHints) return zones
  return [...zones, ...validateHintNames(listNames(forNodes), path.child('forNodes'), (name) => nameIsDNSSubdomain(name, false))]
}

function validateHintNames(names: readonly string[], path: FieldPath, validateName: (name: string) => readonly string[]): FieldErrorList {
  if (names.length > maxHints) return [fieldError.tooMany(path, names.length, maxHints)]
  const isRepeated = repeatCheck<string>()
  return names.flatMap((name, i) => {
    const at = path.index(i).child('name')
    return [...(isRepeated(name) ? [fieldError.duplicate(at, name)] : []), ...createInvalidErrors(validateName(name), name, at)]
  })
}
