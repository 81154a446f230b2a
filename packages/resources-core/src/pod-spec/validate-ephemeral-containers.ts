import type { EphemeralContainer } from '@keelson/api/core/v1'
import { fieldError } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { validateContainer } from './validate-container.ts'
import type { ContainerScope } from './validate-container.ts'
import { validateImagePadding } from './validate-images.ts'

/** What only makes sense for containers that belong to the pod's work. In the order of the type's members. */
const refused = [
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

export interface EphemeralScope extends ContainerScope {
  /** Of the containers and init containers. */
  readonly otherNames: ReadonlySet<string>
}

export function validateEphemeralContainers(
  containers: readonly DeepReadonly<EphemeralContainer>[],
  scope: EphemeralScope,
  path: FieldPath,
): FieldErrorList {
  const names = new Set(scope.otherNames)
  return containers.flatMap((container, i) => {
    const at = path.index(i)
    const { name = '', targetContainerName: target = '' } = container
    const errors = [...validateContainer(container, scope, at), ...validateImagePadding(container.image, at.child('image'))]
    if (names.has(name)) errors.push(fieldError.duplicate(at.child('name'), name))
    names.add(name)
    if (target !== '' && !scope.otherNames.has(target)) errors.push(fieldError.notFoundField(at.child('targetContainerName'), target))
    for (const member of refused) if (isSet(container[member])) errors.push(fieldError.forbidden(at.child(member), detail))
    for (const [j, mount] of (container.volumeMounts ?? []).entries()) {
      for (const member of ['subPath', 'subPathExpr'] as const) {
        if (mount[member]) errors.push(fieldError.forbidden(at.child('volumeMounts').index(j).child(member), detail))
      }
    }
    return errors
  })
}

/** `resources` is always there, if only as `{}`. */
function isSet(value: unknown): boolean {
  return value !== undefined && (typeof value !== 'object' || value === null || Object.keys(value).length > 0)
}
