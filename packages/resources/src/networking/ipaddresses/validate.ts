import { networkingV1 } from '@keelson/api/networking/v1'
import type { IPAddress } from '@keelson/api/networking/v1'
import { fieldError, newFieldPath, isPathSegmentName, validateImmutableField } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { toInternalStruct, createInvalidErrors, validateDNSSubdomain } from '@keelson/resources-core'

type ReadonlyAddress = DeepReadonly<IPAddress>

const parentPath = newFieldPath('spec', 'parentRef')

export function validateIPAddress({ spec }: ReadonlyAddress): FieldErrorList {
  const parent = spec?.parentRef
  if (parent === undefined) return [fieldError.required(parentPath)]
  const { group = '', resource = '', name = '', namespace = '' } = parent
  return [
    // The core group has an empty name.
    ...(group === '' ? [] : validateDNSSubdomain(group, parentPath.child('group'))),
    ...validateSegment(resource, parentPath.child('resource')),
    ...validateSegment(name, parentPath.child('name')),
    ...(namespace === '' ? [] : validateSegment(namespace, parentPath.child('namespace'))),
  ]
}

export function validateIPAddressUpdate(address: ReadonlyAddress, old: ReadonlyAddress): FieldErrorList {
  return [...validateIPAddress(address), ...validateImmutableField(printParent(address), printParent(old), parentPath)]
}

function printParent({ spec }: ReadonlyAddress): unknown {
  return spec?.parentRef === undefined ? null : toInternalStruct(networkingV1.table.resolve('ParentReference'), spec.parentRef)
}

function validateSegment(value: string, path: FieldPath): FieldErrorList {
  return value === '' ? [fieldError.required(path)] : createInvalidErrors(isPathSegmentName(value), value, path)
}
