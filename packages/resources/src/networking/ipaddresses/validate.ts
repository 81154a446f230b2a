import type { IPAddress, ParentReference } from '@keelson/api/networking/v1'
import { fieldError, fieldPath, goJson, isPathSegmentName, semanticEqual, validateImmutableField, verbatim } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { invalidEach, validateDNSSubdomain } from '@keelson/resources-core'

type ReadonlyAddress = DeepReadonly<IPAddress>

const parentPath = fieldPath('spec', 'parentRef')

export function validateIPAddress({ spec }: ReadonlyAddress): FieldErrorList {
  const parent = spec?.parentRef
  if (parent === undefined) return [fieldError.required(parentPath)]
  const { group = '', resource = '', name = '', namespace = '' } = parent
  return [
    // Core's name is empty.
    ...(group === '' ? [] : validateDNSSubdomain(group, parentPath.child('group'))),
    ...validateSegment(resource, parentPath.child('resource')),
    ...validateSegment(name, parentPath.child('name')),
    ...(namespace === '' ? [] : validateSegment(namespace, parentPath.child('namespace'))),
  ]
}

export function validateIPAddressUpdate(address: ReadonlyAddress, old: ReadonlyAddress): FieldErrorList {
  const before = internalForm(old.spec?.parentRef)
  const after = internalForm(address.spec?.parentRef)
  const moved = semanticEqual(after, before) ? [] : validateImmutableField(after && verbatim(goJson(after)), null, parentPath)
  return [...validateIPAddress(address), ...moved]
}

function validateSegment(value: string, path: FieldPath): FieldErrorList {
  return value === '' ? [fieldError.required(path)] : invalidEach(isPathSegmentName(value), value, path)
}

/** As the original prints it. */
function internalForm(parent: DeepReadonly<ParentReference> | undefined): object | undefined {
  if (parent === undefined) return undefined
  const { group = '', resource = '', namespace = '', name = '' } = parent
  return { Group: group, Resource: resource, Namespace: namespace, Name: name }
}
