import { createCounter, createHistogram, memoize } from '@keelson/apimachinery/metrics'
import type { MetricsRegistry } from '@keelson/apimachinery/metrics'
import type { Authorizer, Decision } from './authorizer.ts'

/** Metrics of requests to authorization webhooks. `result` is success, timeout or error. */
export interface WebhookAuthorizerMetrics {
  recordEvaluation(name: string, result: string, seconds: number): void
  /** Counts a request that continued with the next authorizer because the webhook failed. */
  countFailOpen(name: string, result: string): void
}

/** Metrics of match conditions of one kind of authorizer. */
export interface MatchConditionMetrics {
  recordEvaluation(name: string, seconds: number): void
  countFailure(name: string): void
  countExclusion(name: string): void
}

export interface AuthorizationMetrics {
  readonly webhook: WebhookAuthorizerMetrics
  readonly matchConditions: MatchConditionMetrics
  /** Wraps an authorizer. The result counts the final decisions: allow and deny. */
  instrument(authorizer: Authorizer, labels: { readonly type: string; readonly name: string }): Authorizer
}

const defaultBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const conditionBuckets = [0.001, 0.005, 0.01, 0.025, 0.1, 0.2, 0.25]

/** Registers metrics of authorization under kube-apiserver's names. */
export function createAuthorizationMetrics(registry: MetricsRegistry): AuthorizationMetrics {
  const registerCounter = (name: string, help: string): ReturnType<typeof createCounter> =>
    registry.register(createCounter(`apiserver_authorization_${name}`, `[ALPHA] ${help}`))
  const registerHistogram = (name: string, help: string, buckets: readonly number[]): ReturnType<typeof createHistogram> =>
    registry.register(createHistogram(`apiserver_authorization_${name}`, `[ALPHA] ${help}`, buckets))
  const decisions = registerCounter('decisions_total', 'Final decisions of an authorizer, by its type and name, and the decision.')
  const evaluations = registerCounter('webhook_evaluations_total', 'Requests to authorization webhooks.')
  const durations = registerHistogram(
    'webhook_duration_seconds',
    'Latency of requests to authorization webhooks, in seconds.',
    defaultBuckets,
  )
  const failOpen = registerCounter(
    'webhook_evaluations_fail_open_total',
    'Requests without an opinion because a webhook failed or timed out.',
  )
  const conditionErrors = registerCounter(
    'match_condition_evaluation_errors_total',
    'Match conditions of authorization webhooks that failed.',
  )
  const exclusions = registerCounter(
    'match_condition_exclusions_total',
    'Authorization webhooks that were skipped because of match conditions.',
  )
  const conditionTimes = registerHistogram(
    'match_condition_evaluation_seconds',
    'Time to evaluate the match conditions of an authorization webhook, in seconds.',
    conditionBuckets,
  )
  const type = 'Webhook'
  return {
    webhook: {
      recordEvaluation: (name, result, seconds) => {
        evaluations.with({ name, result }).value++
        durations.with({ name, result }).observe(seconds)
      },
      countFailOpen: (name, result) => void failOpen.with({ name, result }).value++,
    },
    matchConditions: {
      recordEvaluation: (name, seconds) => conditionTimes.with({ type, name }).observe(seconds),
      countFailure: (name) => void conditionErrors.with({ type, name }).value++,
      countExclusion: (name) => void exclusions.with({ type, name }).value++,
    },
    instrument: (authorizer, labels) => {
      const allowed = memoize(() => decisions.with({ ...labels, decision: 'allowed' }))
      const denied = memoize(() => decisions.with({ ...labels, decision: 'denied' }))
      const count = (decision: Decision): Decision => {
        if (decision.decision === 'allow') allowed().value++
        else if (decision.decision === 'deny') denied().value++
        return decision
      }
      const counted: Authorizer = {
        authorize: (attributes) => {
          const decision = authorizer.authorize(attributes)
          return decision instanceof Promise ? decision.then(count) : count(decision)
        },
      }
      if (authorizer.rulesFor !== undefined) counted.rulesFor = (user, namespace) => authorizer.rulesFor!(user, namespace)
      return counted
    },
  }
}
