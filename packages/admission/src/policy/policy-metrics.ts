import { createCounter, createHistogram, createMetricsRegistry } from '@keelson/apimachinery/metrics'
import type { Histogram, MetricsRegistry, Value } from '@keelson/apimachinery/metrics'

/** The action that followed the evaluation of an expression. */
export type EnforcementAction = 'allow' | 'deny' | 'audit' | 'warn'

/** An evaluated expression, for the metrics. */
export interface PolicyCheck {
  readonly policy: string
  readonly binding: string
  /** The message of the decision if its expression failed or was false; undefined if it was true. */
  readonly message: string | undefined
  readonly seconds: number
}

/** Metrics of the policies of one kind, with kube-apiserver's names. */
export interface PolicyMetrics {
  observe(action: EnforcementAction, check: PolicyCheck): void
}

const facts = {
  validating: {
    total:
      '[BETA] Validation admission policy check total, labeled by policy and further identified by binding and enforcement action taken.',
    duration:
      '[BETA] Validation admission latency for individual validation expressions in seconds, labeled by policy and further including binding and enforcement action taken.',
    hasAction: true,
  },
  mutating: {
    total: '[ALPHA] Mutation admission policy check total, labeled by policy and further identified by binding.',
    duration: '[ALPHA] Mutation admission latency for individual mutation expressions in seconds, labeled by policy and binding.',
    hasAction: false,
  },
} as const

/** Upper bounds of the duration of a check, in seconds. */
const bounds = [0.0000005, 0.001, 0.01, 0.1, 1]

/** Creates the metrics of validating or mutating policies. */
export function createPolicyMetrics(type: 'validating' | 'mutating', registry: MetricsRegistry = createMetricsRegistry()): PolicyMetrics {
  const name = `apiserver_${type}_admission_policy_check`
  const { total, duration, hasAction } = facts[type]
  const counts = registry.register(createCounter(`${name}_total`, total))
  const durations = registry.register(createHistogram(`${name}_duration_seconds`, duration, bounds))
  const series = new Map<string, { readonly count: Value; readonly duration: Histogram }>()
  return {
    observe(action, { policy, binding, message, seconds }) {
      const errorType = classifyError(message)
      const key = `${policy}/${binding}/${errorType}/${action}`
      let entry = series.get(key)
      if (entry === undefined) {
        const labels = { policy, policy_binding: binding, error_type: errorType, ...(hasAction && { enforcement_action: action }) }
        series.set(key, (entry = { count: counts.with(labels), duration: durations.with(labels) }))
      }
      entry.count.value++
      entry.duration.observe(seconds)
    },
  }
}

/** Classifies a decision by its message, as kube-apiserver does. */
function classifyError(message: string | undefined): string {
  if (message === undefined) return 'no_error'
  if (message.startsWith('compilation')) return 'compile_error'
  return message.startsWith('validation failed due to running out of cost budget') ? 'out_of_budget' : 'invalid_error'
}
