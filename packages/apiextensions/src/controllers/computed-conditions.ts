import type { CustomResourceDefinition } from '@keelson/api/apiextensions/v1'
import { aggregateFieldErrors, fieldError, newFieldPath } from '@keelson/apimachinery'
import type { DeepReadonly } from '@keelson/apimachinery'
import type { WorkQueue } from '@keelson/loopback'
import { computeApproval } from '../definitions/api-approval.ts'
import { findCondition, hasState, removeCondition, setCondition } from '../definitions/conditions.ts'
import type { ConditionState, ConditionType } from '../definitions/conditions.ts'
import { findStructuralProblems } from '../definitions/structural.ts'
import { createDefinitionQueue, updateStatus } from './controller.ts'
import type { DefinitionContext } from './controller.ts'

type Definition = DeepReadonly<CustomResourceDefinition>

/** A condition that is a pure function of the definition. */
interface ComputedCondition {
  readonly queue: string
  readonly type: ConditionType
  /** Returns whether the condition may have to change, judging by a definition without schemas. */
  readonly isRelevant: (outline: Definition) => boolean
  /** Returns the state of the condition. Returns undefined if the definition does not have the condition. */
  readonly compute: (definition: Definition) => ConditionState | undefined
}

/** Starts the controller of the condition KubernetesAPIApprovalPolicyConformant. */
export function startApproval(context: DefinitionContext): WorkQueue {
  return startComputedCondition(context, {
    queue: 'kubernetes_api_approval_conformant_condition_controller',
    type: 'KubernetesAPIApprovalPolicyConformant',
    isRelevant(outline) {
      const state = computeApproval(outline)
      return state !== undefined && !hasState(findCondition(outline, 'KubernetesAPIApprovalPolicyConformant'), state)
    },
    compute: computeApproval,
  })
}

/**
 * Starts the controller of the condition NonStructuralSchema. Validation admits only structural schemas, so it decodes only the schemas of
 * definitions that an old kube-apiserver has stored: those that have the condition or keep unknown fields.
 */
export function startNonStructural(context: DefinitionContext): WorkQueue {
  return startComputedCondition(context, {
    queue: 'non_structural_schema_condition_controller',
    type: 'NonStructuralSchema',
    isRelevant: (outline) => outline.spec.preserveUnknownFields === true || findCondition(outline, 'NonStructuralSchema') !== undefined,
    compute(definition) {
      const { preserveUnknownFields = false } = definition.spec
      const preservationErrors = preserveUnknownFields
        ? [fieldError.invalid(newFieldPath('spec', 'preserveUnknownFields'), preserveUnknownFields, 'must be false')]
        : []
      const problems = [...preservationErrors, ...findStructuralProblems(definition)]
      return problems.length === 0 ? undefined : { status: 'True', reason: 'Violations', message: aggregateFieldErrors(problems) }
    },
  })
}

function startComputedCondition(context: DefinitionContext, { queue: name, type, isRelevant, compute }: ComputedCondition): WorkQueue {
  const { index, clock } = context
  const queue = createDefinitionQueue(context, {
    name,
    async sync(key) {
      const followed = index.get(key)
      if (followed === undefined || isCurrent(followed.stored.object(), type, compute)) return
      await updateStatus(context, key, (definition) => {
        const state = compute(definition)
        if (state === undefined) removeCondition(definition, type)
        else setCondition(definition, type, state, clock.now())
      })
    },
  })
  index.subscribe(({ name: key, definition }) => {
    if (definition !== undefined && isRelevant(definition.outline)) queue.add(key)
  })
  return queue
}

function isCurrent(definition: Definition, type: ConditionType, compute: ComputedCondition['compute']): boolean {
  const state = compute(definition)
  const present = findCondition(definition, type)
  return state === undefined ? present === undefined : hasState(present, state)
}
