import { createCounter, createHistogram } from '@keelson/apimachinery/metrics'
import type { MetricsRegistry } from '@keelson/apimachinery/metrics'
import type { AdmissionOperation } from '../admission.ts'

/** The webhook or policy that has the match conditions. */
export interface MatchConditionLabels {
  /** Name of the webhook or policy. */
  readonly name: string
  readonly kind: 'webhook' | 'policy'
  readonly type: 'admit' | 'validate'
}

/** Metrics of the match conditions of webhooks and policies, with kube-apiserver's names. */
export interface MatchConditionMetrics {
  recordEvaluation(of: MatchConditionLabels, operation: AdmissionOperation, seconds: number): void
  countFailure(of: MatchConditionLabels, operation: AdmissionOperation): void
  countExclusion(of: MatchConditionLabels, operation: AdmissionOperation): void
}

const created = new WeakMap<MetricsRegistry, MatchConditionMetrics>()

/** Returns the metrics of a registry. Webhooks and policies share them. */
export function getMatchConditionMetrics(registry: MetricsRegistry): MatchConditionMetrics {
  const existing = created.get(registry)
  if (existing !== undefined) return existing
  const errors = registry.register(
    createCounter(
      'apiserver_admission_match_condition_evaluation_errors_total',
      '[ALPHA] Match conditions of webhooks and policies that failed.',
    ),
  )
  const exclusions = registry.register(
    createCounter(
      'apiserver_admission_match_condition_exclusions_total',
      '[ALPHA] Webhooks and policies that were skipped because of their match conditions.',
    ),
  )
  const seconds = registry.register(
    createHistogram(
      'apiserver_admission_match_condition_evaluation_seconds',
      '[ALPHA] Time to evaluate the match conditions of a webhook or policy, in seconds.',
      [0.001, 0.005, 0.01, 0.025, 0.1, 0.2, 0.25],
    ),
  )
  const metrics: MatchConditionMetrics = {
    recordEvaluation: (of, operation, took) => seconds.with(getEvaluationLabels(of, operation)).observe(took),
    countFailure: (of, operation) => void errors.with(getEvaluationLabels(of, operation)).value++,
    countExclusion: ({ name, kind, type }, operation) => void exclusions.with({ name, kind, type, operation }).value++,
  }
  created.set(registry, metrics)
  return metrics
}

/** Returns the labels of an evaluation. As in kube-apiserver, the type of a validating webhook has another name than in exclusions. */
function getEvaluationLabels({ name, kind, type }: MatchConditionLabels, operation: AdmissionOperation): Record<string, string> {
  return { name, kind, type: kind === 'webhook' && type === 'validate' ? 'validating' : type, operation }
}
