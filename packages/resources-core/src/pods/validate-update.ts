import type { Pod, PodSchedulingGate, Toleration } from '@keelson/api/core/v1'
import { fieldError, newFieldPath, formatInclusiveRangeMessage } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { validateItems, validateRequired } from '../pod-spec/field-rules.ts'
import type { PodRules } from '../pod-spec/pod-rules.ts'
import { validateImagePadding } from '../pod-spec/validate-images.ts'
import { validateTolerations } from '../pod-spec/validate-tolerations.ts'
import type { ReadonlyContainer, ReadonlyPodSpec } from '../pod-spec/visit-containers.ts'
import { validateAnnotationUpdate } from './validate-annotation-update.ts'
import { validatePod } from './validate.ts'
import { validateSpecUnchanged } from './validate-spec-unchanged.ts'

const specPath = newFieldPath('spec')
const noSpec: ReadonlyPodSpec = { containers: null }
const maxDeadline = 2 ** 31 - 1

/** Validates an update of a pod. Most fields of the spec are immutable. */
export function validatePodUpdate(pod: DeepReadonly<Pod>, old: DeepReadonly<Pod>, rules: PodRules): FieldErrorList {
  const { spec = noSpec } = pod
  const { spec: oldSpec = noSpec } = old
  const errors = [...validatePod(pod, rules), ...validateAnnotationUpdate(pod, old, rules)]
  for (const member of ['containers', 'initContainers'] as const) {
    const containers = spec[member] ?? []
    const path = specPath.child(member)
    if (containers.length !== (oldSpec[member] ?? []).length) {
      return [...errors, fieldError.forbidden(path, 'pod updates may not add or remove containers')]
    }
    errors.push(...validateImages(containers, path))
  }
  const deadlineErrors = validateDeadline(
    spec.activeDeadlineSeconds,
    oldSpec.activeDeadlineSeconds,
    specPath.child('activeDeadlineSeconds'),
  )
  errors.push(...deadlineErrors)
  if (deadlineErrors.length > 0 && spec.activeDeadlineSeconds !== undefined) return errors
  return [
    ...errors,
    ...validateOnlyAddedTolerations(spec.tolerations ?? [], oldSpec.tolerations ?? [], { rules, path: specPath.child('tolerations') }),
    ...validateOnlyDeletedGates(spec.schedulingGates ?? [], oldSpec.schedulingGates ?? [], specPath.child('schedulingGates')),
    ...validateSpecUnchanged(spec, oldSpec, specPath),
  ]
}

function validateImages(containers: readonly ReadonlyContainer[], path: FieldPath): FieldErrorList {
  return validateItems(containers, path, (container, at) => [
    ...validateRequired(container.image, at, 'image'),
    ...validateImagePadding(container, at),
  ])
}

/** Validates a change of `activeDeadlineSeconds`. The deadline can only be added or shortened. */
function validateDeadline(deadline: number | undefined, old: number | undefined, path: FieldPath): FieldErrorList {
  if (deadline === undefined) {
    return old === undefined ? [] : [fieldError.invalid(path, null, 'must not update from a positive integer to nil value')]
  }
  if (deadline < 0 || deadline > maxDeadline) return [fieldError.invalid(path, deadline, formatInclusiveRangeMessage(0, maxDeadline))]
  if (old === undefined || old >= deadline) return []
  return [fieldError.invalid(path, deadline, 'must be less than or equal to previous value')]
}

type Tolerations = readonly DeepReadonly<Toleration>[]

function validateOnlyAddedTolerations(
  tolerations: Tolerations,
  old: Tolerations,
  { rules, path }: { readonly rules: PodRules; readonly path: FieldPath },
): FieldErrorList {
  const withoutSeconds = ({ key = '', operator = '', value = '', effect = '' }: DeepReadonly<Toleration>): string =>
    JSON.stringify([key, operator, value, effect])
  const remaining = new Set(tolerations.map(withoutSeconds))
  for (const keptToleration of old) {
    if (remaining.has(withoutSeconds(keptToleration))) continue
    return [fieldError.forbidden(path, 'existing toleration can not be modified except its tolerationSeconds')]
  }
  return validateTolerations(tolerations, rules, path)
}

function validateOnlyDeletedGates(
  gates: readonly DeepReadonly<PodSchedulingGate>[],
  old: readonly DeepReadonly<PodSchedulingGate>[],
  path: FieldPath,
): FieldErrorList {
  const oldNames = new Set(old.map(({ name }) => name))
  return gates.flatMap(({ name }, i) =>
    oldNames.has(name)
      ? []
      : [fieldError.forbidden(path.index(i).child('name'), `only deletion is allowed, but found new scheduling gate '${name}'`)],
  )
}
