import type { IngressBackend, IngressServiceBackend } from '@keelson/api/networking/v1'
import { fieldError, isDNS1123Subdomain, isPathSegmentName, isValidPortName, isValidPortNum, nameIsDNSLabel } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { createInvalidErrors } from '@keelson/resources-core'

interface ObjectReference {
  readonly apiGroup?: string | null
  readonly kind: string
  readonly name: string
}

/** Validates a backend, with exactly one of `service` and `resource`. */
export function validateBackend({ service, resource }: DeepReadonly<IngressBackend>, path: FieldPath): FieldErrorList {
  if (resource !== undefined && service !== undefined) {
    return [fieldError.invalid(path, '', 'cannot set both resource and service backends')]
  }
  if (resource !== undefined) return validateReference(resource, path.child('resource'))
  if (service !== undefined) return validateService(service, path)
  return [fieldError.invalid(path, '', 'resource or service backend is required')]
}

function validateService({ name, port = {} }: DeepReadonly<IngressServiceBackend>, path: FieldPath): FieldErrorList {
  const namePath = path.child('service', 'name')
  const errors = name === '' ? [fieldError.required(namePath)] : createInvalidErrors(nameIsDNSLabel(name, false), name, namePath)
  const portPath = path.child('service', 'port')
  const { name: portName = '', number = 0 } = port
  if (portName !== '' && number !== 0) errors.push(fieldError.invalid(path, '', 'cannot set both port name & port number'))
  else if (portName !== '') errors.push(...createInvalidErrors(isValidPortName(portName), portName, portPath.child('name')))
  else if (number !== 0) errors.push(...createInvalidErrors(isValidPortNum(number), number, portPath.child('number')))
  else errors.push(fieldError.required(path, 'port name or number is required'))
  return errors
}

/** Validates a reference: kind and name must be valid URL path segments. The referenced API may have its own naming rules. */
export function validateReference(reference: ObjectReference, path: FieldPath): FieldErrorList {
  const { apiGroup = null, kind, name } = reference
  return [
    ...(apiGroup === null ? [] : createInvalidErrors(isDNS1123Subdomain(apiGroup), apiGroup, path.child('apiGroup'))),
    ...validateSegment(kind, path.child('kind')),
    ...validateSegment(name, path.child('name')),
  ]
}

function validateSegment(value: string, path: FieldPath): FieldErrorList {
  return value === '' ? [fieldError.required(path)] : createInvalidErrors(isPathSegmentName(value), value, path)
}
