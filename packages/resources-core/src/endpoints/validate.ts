import type { EndpointAddress, EndpointPort, Endpoints, EndpointSubset } from '@keelson/api/core/v1'
import { fieldError, newFieldPath, isValidPortNum, nameIsDNSSubdomain, equalsSemantically } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { validateLegacyIP } from '../ip-address.ts'
import { createInvalidErrors, validateDNSLabel, validateQualifiedName, validateRequiredOneOf } from '../pod-spec/field-rules.ts'
import { findEndpointIPErrors } from '../services/validate.ts'

type ReadonlyEndpoints = DeepReadonly<Endpoints>

const protocols = ['SCTP', 'TCP', 'UDP']

/** Validates the subsets of Endpoints. Does not report subsets that `old` already had (ratcheting). */
export function validateEndpoints({ subsets = [] }: ReadonlyEndpoints, old?: ReadonlyEndpoints): FieldErrorList {
  const errors = subsets.flatMap((subset, i) => validateSubset(subset, newFieldPath('subsets').index(i)))
  return errors.length > 0 && old !== undefined && equalsSemantically(subsets, old.subsets ?? []) ? [] : errors
}

function validateSubset(subset: DeepReadonly<EndpointSubset>, path: FieldPath): FieldErrorList {
  const { addresses = [], notReadyAddresses = [], ports = [] } = subset
  const errors: FieldErrorList = []
  if (addresses.length === 0 && notReadyAddresses.length === 0) {
    errors.push(fieldError.required(path, 'must specify `addresses` or `notReadyAddresses`'))
  }
  return [
    ...errors,
    ...addresses.flatMap((address, i) => validateAddress(address, path.child('addresses').index(i))),
    ...notReadyAddresses.flatMap((address, i) => validateAddress(address, path.child('notReadyAddresses').index(i))),
    ...ports.flatMap((port, i) => validatePort(port, ports.length > 1, path.child('ports').index(i))),
  ]
}

function validateAddress({ ip = '', hostname, nodeName }: DeepReadonly<EndpointAddress>, path: FieldPath): FieldErrorList {
  return [
    ...validateLegacyIP(ip, path.child('ip')),
    ...(hostname ? validateDNSLabel(hostname, path.child('hostname')) : []),
    ...(nodeName === undefined ? [] : createInvalidErrors(nameIsDNSSubdomain(nodeName, false), nodeName, path.child('nodeName'))),
    ...createInvalidErrors(findEndpointIPErrors(ip), ip, path.child('ip')),
  ]
}

function validatePort(
  { name = '', port = 0, protocol, appProtocol }: DeepReadonly<EndpointPort>,
  needsName: boolean,
  path: FieldPath,
): FieldErrorList {
  const errors: FieldErrorList = []
  if (name !== '') errors.push(...validateDNSLabel(name, path.child('name')))
  else if (needsName) errors.push(fieldError.required(path.child('name')))
  return [
    ...errors,
    ...createInvalidErrors(isValidPortNum(port), port, path.child('port')),
    ...validateRequiredOneOf(protocol, protocols, path.child('protocol')),
    ...(appProtocol === undefined ? [] : validateQualifiedName(appProtocol, path.child('appProtocol'))),
  ]
}
