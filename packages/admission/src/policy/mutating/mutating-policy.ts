import type { MutatingAdmissionPolicy } from '@keelson/api/admissionregistration/v1'
import type { DeepReadonly, TimeSlice } from '@keelson/apimachinery'
import type { MatchConditionMetrics } from '../../matching/match-condition-metrics.ts'
import { MatchConditions } from '../../matching/match-conditions.ts'
import { PolicyCompiler } from '../policy-compiler.ts'
import type { PolicyExpression, PolicyVariable } from '../policy-compiler.ts'
import type { ExpressionMetrics } from '@keelson/cel'

export interface MutatingPolicyMetrics {
  readonly expressions: ExpressionMetrics
  readonly matchConditions: MatchConditionMetrics
}

/** A compiled mutation of a policy. */
export interface PolicyMutation extends PolicyExpression {
  readonly patchType: 'ApplyConfiguration' | 'JSONPatch'
}

/** A compiled policy. */
export interface MutatingPolicy {
  readonly conditions: MatchConditions
  readonly variables: readonly PolicyVariable[]
  readonly mutations: readonly PolicyMutation[]
  /** Records the duration of an evaluation in seconds. */
  readonly observe: (seconds: number) => void
}

/** Compiles a policy. */
export async function compileMutatingPolicy(
  { metadata, spec = {} }: DeepReadonly<MutatingAdmissionPolicy>,
  metrics: MutatingPolicyMetrics,
  slice: TimeSlice,
): Promise<MutatingPolicy> {
  const { paramKind, variables = [], matchConditions = [], failurePolicy } = spec
  const hasParams = paramKind !== undefined
  const compiler = new PolicyCompiler({ hasParams, slice, observe: metrics.expressions.recordCompilation })
  await compiler.addVariables(variables)
  const mutations: PolicyMutation[] = []
  for (const { patchType, applyConfiguration, jsonPatch } of spec.mutations ?? []) {
    if (patchType === 'ApplyConfiguration') {
      const compiled = await compiler.compile(applyConfiguration?.expression ?? '', 'applyConfiguration', { hasPatches: true })
      mutations.push({ patchType, ...compiled })
    } else if (patchType === 'JSONPatch') {
      mutations.push({ patchType, ...(await compiler.compile(jsonPatch?.expression ?? '', 'jsonPatch', { hasPatches: true })) })
    }
  }
  const conditions = new MatchConditions({
    name: metadata.name ?? '',
    kind: 'policy',
    // As in kube-apiserver, which does not distinguish the two kinds of policies.
    type: 'validate',
    conditions: matchConditions,
    failurePolicy,
    hasParams,
    metrics: metrics.matchConditions,
  })
  return { conditions, variables: compiler.variables, mutations, observe: metrics.expressions.recordEvaluation }
}
