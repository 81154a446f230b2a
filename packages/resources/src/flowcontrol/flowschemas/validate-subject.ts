import type { ServiceAccountSubject, Subject } from '@keelson/api/flowcontrol/v1'
import { fieldError, nameIsDNSLabel, nameIsDNSSubdomain } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { createInvalidErrors } from '@keelson/resources-core'

/** Name of the field with the subject for each kind. */
const fieldOfKind = { ServiceAccount: 'serviceAccount', User: 'user', Group: 'group' } as const
const kinds = ['Group', 'ServiceAccount', 'User']

export function validateSubject(subject: DeepReadonly<Subject>, path: FieldPath): FieldErrorList {
  const { kind } = subject
  if (!Object.hasOwn(fieldOfKind, kind)) return [fieldError.notSupported(path.child('kind'), kind, kinds)]
  const member = fieldOfKind[kind as keyof typeof fieldOfKind]
  const reference = subject[member]
  const errors =
    reference === undefined
      ? [fieldError.required(path.child(member), `${member} is required when subject kind is '${kind}'`)]
      : validateNamed(subject, member, path.child(member))
  for (const [otherKind, other] of Object.entries(fieldOfKind)) {
    if (other === member || subject[other] === undefined) continue
    errors.push(fieldError.forbidden(path.child(other), `${other} is forbidden when subject kind is not '${otherKind}'`))
  }
  return errors
}

function validateNamed(
  subject: DeepReadonly<Subject>,
  member: (typeof fieldOfKind)[keyof typeof fieldOfKind],
  path: FieldPath,
): FieldErrorList {
  if (member === 'serviceAccount') return validateServiceAccount(subject.serviceAccount!, path)
  return subject[member]!.name === '' ? [fieldError.required(path.child('name'))] : []
}

function validateServiceAccount({ name, namespace }: DeepReadonly<ServiceAccountSubject>, path: FieldPath): FieldErrorList {
  const namePath = path.child('name')
  const namespacePath = path.child('namespace')
  const errors: FieldErrorList = []
  if (name === '') errors.push(fieldError.required(namePath))
  else if (name !== '*') errors.push(...createInvalidErrors(nameIsDNSSubdomain(name, false), name, namePath))
  if (namespace === '') errors.push(fieldError.required(namespacePath, 'must specify namespace for service account'))
  else errors.push(...createInvalidErrors(nameIsDNSLabel(namespace, false), namespace, namespacePath))
  return errors
}
