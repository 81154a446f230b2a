import type { EndpointPort, EndpointSlice } from '@keelson/api/discovery/v1'
import { fieldError, newFieldPath, equalsSemantically, validateImmutableField } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { validateDNSLabel, validateQualifiedName, validateRequiredOneOf, validateSupported } from '@keelson/resources-core'
import { validateEndpoints } from './validate-endpoints.ts'

type ReadonlySlice = DeepReadonly<EndpointSlice>

const addressTypes = ['FQDN', 'IPv4', 'IPv6']
const protocols = ['SCTP', 'TCP', 'UDP']
const maxPorts = 20_000

export function validateEndpointSlice(slice: ReadonlySlice, old?: ReadonlySlice): FieldErrorList {
  const { addressType, ports } = slice
  const endpoints = validateEndpoints(slice.endpoints ?? [], addressType, newFieldPath('endpoints'))
  // Unchanged endpoints are not validated (ratcheting).
  const isUnchanged = endpoints.length > 0 && old !== undefined && equalsSemantically(old.endpoints, slice.endpoints)
  return [
    ...validateRequiredOneOf(addressType, addressTypes, newFieldPath('addressType')),
    ...validatePorts(ports ?? [], newFieldPath('ports')),
    ...(isUnchanged ? [] : endpoints),
  ]
}

export function validateEndpointSliceUpdate(slice: ReadonlySlice, old: ReadonlySlice): FieldErrorList {
  return [...validateEndpointSlice(slice, old), ...validateImmutableField(slice.addressType, old.addressType, newFieldPath('addressType'))]
}

function validatePorts(ports: readonly DeepReadonly<EndpointPort>[], path: FieldPath): FieldErrorList {
  if (ports.length > maxPorts) return [fieldError.tooMany(path, ports.length, maxPorts)]
  const names = new Set<string>()
  return ports.flatMap((port, i) => {
    const { name = '', protocol, appProtocol } = port
    const at = path.index(i)
    const isRepeated = names.has(name)
    names.add(name)
    return [
      ...(name === '' ? [] : validateDNSLabel(name, at.child('name'))),
      ...(isRepeated ? [fieldError.duplicate(at.child('name'), name)] : []),
      ...validateSupported(protocol, protocols, at.child('protocol')),
      ...(appProtocol === undefined ? [] : validateQualifiedName(appProtocol, at.child('appProtocol'))),
    ]
  })
}
