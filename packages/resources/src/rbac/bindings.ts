import type { RoleRef, Subject } from '@keelson/api/rbac/v1'
import { fieldError, newFieldPath, goJson, isPathSegmentName, nameIsDNSSubdomain, createVerbatimValue } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath, KubeObject } from '@keelson/apimachinery'
import { createInvalidErrors } from '@keelson/resources-core'

const groupName = 'rbac.authorization.k8s.io'
const subjectKinds = ['ServiceAccount', 'User', 'Group']
const rolePath = newFieldPath('roleRef')

/** The common fields of RoleBinding and ClusterRoleBinding. */
export interface Binding extends KubeObject {
  subjects?: Subject[]
  roleRef: RoleRef
}

export function setBindingDefaults({ roleRef, subjects = [] }: Binding): void {
  roleRef.apiGroup ||= groupName
  for (const subject of subjects) if (['User', 'Group'].includes(subject.kind)) subject.apiGroup ||= groupName
}

export interface BindingRules {
  readonly roleKinds: readonly string[]
  /** True for RoleBinding. Service accounts without a namespace then belong to the namespace of the binding. */
  readonly namespaced: boolean
}

export function validateBinding(
  { roleRef, subjects = [] }: DeepReadonly<Binding>,
  { roleKinds, namespaced }: BindingRules,
): FieldErrorList {
  const { apiGroup, kind, name } = roleRef
  const namePath = rolePath.child('name')
  return [
    ...(apiGroup === groupName ? [] : [fieldError.notSupported(rolePath.child('apiGroup'), apiGroup, [groupName])]),
    ...(roleKinds.includes(kind) ? [] : [fieldError.notSupported(rolePath.child('kind'), kind, roleKinds)]),
    ...(name === '' ? [fieldError.required(namePath)] : createInvalidErrors(isPathSegmentName(name), name, namePath)),
    ...subjects.flatMap((subject, i) => validateSubject(subject, namespaced, newFieldPath('subjects').index(i))),
  ]
}

/** Validates an update of a binding. Its subjects are mutable; `roleRef` is immutable. */
export function validateBindingUpdate(binding: DeepReadonly<Binding>, old: DeepReadonly<Binding>, rules: BindingRules): FieldErrorList {
  const errors = validateBinding(binding, rules)
  const { apiGroup, kind, name } = binding.roleRef
  if (apiGroup === old.roleRef.apiGroup && kind === old.roleRef.kind && name === old.roleRef.name) return errors
  const printed = createVerbatimValue(goJson({ APIGroup: apiGroup, Kind: kind, Name: name }))
  return [...errors, fieldError.invalid(rolePath, printed, 'cannot change roleRef')]
}

function validateSubject(subject: DeepReadonly<Subject>, namespaced: boolean, path: FieldPath): FieldErrorList {
  const { kind, name, apiGroup = '', namespace = '' } = subject
  const namePath = path.child('name')
  const errors = name === '' ? [fieldError.required(namePath)] : []
  if (!subjectKinds.includes(kind)) return [...errors, fieldError.notSupported(path.child('kind'), kind, subjectKinds)]
  const expected = kind === 'ServiceAccount' ? '' : groupName
  const group = apiGroup === expected ? [] : [fieldError.notSupported(path.child('apiGroup'), apiGroup, [expected])]
  if (kind !== 'ServiceAccount') return [...errors, ...group]
  return [
    ...errors,
    ...(name === '' ? [] : createInvalidErrors(nameIsDNSSubdomain(name, false), name, namePath)),
    ...group,
    ...(!namespaced && namespace === '' ? [fieldError.required(path.child('namespace'))] : []),
  ]
}
