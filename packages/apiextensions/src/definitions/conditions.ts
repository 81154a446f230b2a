import type { CustomResourceDefinition, CustomResourceDefinitionCondition } from '@keelson/api/apiextensions/v1'
import { formatTime } from '@keelson/apimachinery'
import type { DeepReadonly } from '@keelson/apimachinery'
import { newDefinitionStatus } from './defaults.ts'

/** Types of the conditions of a definition. */
export type ConditionType =
  | 'Established'
  | 'KubernetesAPIApprovalPolicyConformant'
  | 'NamesAccepted'
  | 'NonStructuralSchema'
  | 'Terminating'

/** State of a condition without its time. */
export interface ConditionState {
  readonly status: 'True' | 'False' | 'Unknown'
  readonly reason: string
  readonly message: string
}

export function findCondition(
  definition: DeepReadonly<CustomResourceDefinition>,
  type: ConditionType,
): DeepReadonly<CustomResourceDefinitionCondition> | undefined {
  return definition.status?.conditions?.find((condition) => condition.type === type)
}

export function isConditionTrue(definition: DeepReadonly<CustomResourceDefinition>, type: ConditionType): boolean {
  return findCondition(definition, type)?.status === 'True'
}

/** Returns whether a condition already has this state. */
export function hasState(condition: DeepReadonly<CustomResourceDefinitionCondition> | undefined, state: ConditionState): boolean {
  return (
    condition !== undefined &&
    condition.status === state.status &&
    (condition.reason ?? '') === state.reason &&
    (condition.message ?? '') === state.message
  )
}

/**
 * Sets a condition, or adds it at the end of the list. Its time changes only with its status. As in kube-apiserver, no controller sets
 * `observedGeneration`; the one that a client has written is kept.
 */
export function setCondition(definition: CustomResourceDefinition, type: ConditionType, state: ConditionState, now: number): void {
  const status = (definition.status ??= newDefinitionStatus())
  const conditions = (status.conditions ??= [])
  const present = conditions.find((condition) => condition.type === type)
  const { reason, message } = state
  if (present === undefined) {
    conditions.push({ type, status: state.status, lastTransitionTime: formatTime(now), reason, message })
    return
  }
  if (present.status !== state.status || (present.lastTransitionTime ?? null) === null) present.lastTransitionTime = formatTime(now)
  Object.assign(present, { status: state.status, reason, message })
}

export function removeCondition(definition: CustomResourceDefinition, type: ConditionType): void {
  const { status } = definition
  if (status?.conditions) status.conditions = status.conditions.filter((condition) => condition.type !== type)
}
