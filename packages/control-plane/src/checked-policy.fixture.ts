import type { ParamKind, Rule, Validation, Variable } from '@keelson/api/admissionregistration/v1'

/** A policy, and the warnings that kube-controller-manager 1.36.4 wrote to its status. */
export interface CheckedPolicy {
  readonly rules: readonly Rule[]
  readonly paramKind?: ParamKind
  readonly variables?: readonly Variable[]
  readonly validations: readonly Validation[]
  /** Warnings by the field of the expression. */
  readonly warnings: Readonly<Record<string, string>>
}

export const deployments: Rule = { apiGroups: ['apps'], apiVersions: ['v1'], resources: ['deployments'] }
export const pods: Rule = { apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }
