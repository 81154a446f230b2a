import { fieldError, hasEmptyMarks, wasSentEmpty } from '@keelson/apimachinery'
import type { EphemeralContainer } from '@keelson/api/core/v1'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { validateItems } from './field-rules.ts'
import { validateContainer } from './validate-container.ts'
import type { ContainerContext } from './validate-container.ts'
import { validateImagePadding } from './validate-images.ts'
import type { ReadonlyPodSpec } from './visit-containers.ts'

/** Container fields that ephemeral containers must not set, in the order of the Go type. */
const forbiddenFields = [
  'ports',
  'resources',
  'resizePolicy',
  'restartPolicy',
  'restartPolicyRules',
  'livenessProbe',
  'readinessProbe',
  'startupProbe',
  'lifecycle',
] as const

const detail = 'cannot be set for an Ephemeral Container'

export function validateEphemeralContainers(spec: ReadonlyPodSpec, context: ContainerContext, path: FieldPath): FieldErrorList {
  if (spec.ephemeralContainers === undefined) return []
  const otherNames = new Set([...(spec.containers ?? []), ...(spec.initContainers ?? [])].map(({ name = '' }) => name))
  const names = new Set(otherNames)
  return validateItems(spec.ephemeralContainers, path.child('ephemeralContainers'), (container, at) => {
    const { name = '', targetContainerName: target = '' } = container
    const errors = [...validateContainer(container, context, at), ...validateImagePadding(container, at)]
    if (names.has(name)) errors.push(fieldError.duplicate(at.child('name'), name))
    names.add(name)
    if (target !== '' && !otherNames.has(target)) errors.push(fieldError.notFoundField(at.child('targetContainerName'), target))
    for (const member of forbiddenFields) if (isSet(container, member)) errors.push(fieldError.forbidden(at.child(member), detail))
    for (const [j, mount] of (container.volumeMounts ?? []).entries()) {
      for (const member of ['subPath', 'subPathExpr'] as const) {
        if (mount[member]) errors.push(fieldError.forbidden(at.child('volumeMounts').index(j).child(member), detail))
      }
    }
    return errors
  })
}

/** Returns whether a field of an ephemeral container is set. An empty `resources` counts as unset, because the defaults always set it. */
function isSet(container: DeepReadonly<EphemeralContainer>, member: (typeof forbiddenFields)[number]): boolean {
  const { resources } = container
  if (member === 'resources') return Object.keys(resources ?? {}).length > 0 || hasEmptyMarks(resources)
  return container[member] !== undefined || wasSentEmpty(container, member)
}
