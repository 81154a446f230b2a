import { type DeepReadonly, type FieldErrorList, type FieldPath, fieldError, isDNS1123Label } from '@keelson/apimachinery'
import type { Container, PodSpec } from '@keelson/api/core/v1'

const restartPolicies = ['Always', 'OnFailure', 'Never']
const dnsPolicies = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None']

export function validatePodSpec(spec: DeepReadonly<PodSpec>, path: FieldPath): FieldErrorList {
  const errors: FieldErrorList = []
  if ((spec.containers ?? []).length === 0) errors.push(fieldError.required(path.child('containers'), ''))
  const names = new Set<string>()
  for (const [index, container] of (spec.containers ?? []).entries())
    errors.push(...validateContainer(container, names, path.child('containers').index(index)))
  for (const [index, container] of (spec.initContainers ?? []).entries())
    errors.push(...validateContainer(container, names, path.child('initContainers').index(index)))
  if (!restartPolicies.includes(spec.restartPolicy ?? ''))
    errors.push(fieldError.notSupported(path.child('restartPolicy'), spec.restartPolicy ?? '', restartPolicies))
  if (!dnsPolicies.includes(spec.dnsPolicy ?? '')) errors.push(fieldError.notSupported(path.child('dnsPolicy'), spec.dnsPolicy ?? '', dnsPolicies))
  return errors
}

function validateContainer(container: DeepReadonly<Container>, names: Set<string>, path: FieldPath): FieldErrorList {
  const errors: FieldErrorList = []
  const name = container.name ?? ''
  if (name === '') errors.push(fieldError.required(path.child('name'), ''))
  else for (const message of isDNS1123Label(name)) errors.push(fieldError.invalid(path.child('name'), name, message))
  if (names.has(name)) errors.push(fieldError.duplicate(path.child('name'), name))
  names.add(name)
  if ((container.image ?? '') === '') errors.push(fieldError.required(path.child('image'), ''))
  return errors
}
