import { createCounter, createHistogram, lazily } from '@keelson/apimachinery/metrics'
import type { Histogram, MetricsRegistry, Value } from '@keelson/apimachinery/metrics'
import type { AuthenticationResult, Decision } from '@keelson/auth'

/** 1 ms to 16 s, doubling. */
const buckets = Array.from({ length: 15 }, (_, i) => 2 ** i / 1000)

/** Metrics of authentication and authorization, with kube-apiserver's names. Allocates nothing once a series exists. */
export interface AccessMetrics {
  authenticated(result: AuthenticationResult, seconds: number): void
  authorized(decision: Decision['decision'], seconds: number): void
}

export function createAccessMetrics(registry: MetricsRegistry): AccessMetrics {
  const counter = (name: string, help: string): ReturnType<typeof createCounter> =>
    registry.register(createCounter(name, `[ALPHA] ${help}`))
  const histogram = (name: string, help: string): ReturnType<typeof createHistogram> =>
    registry.register(createHistogram(name, `[ALPHA] ${help}`, buckets))
  const users = counter('authenticated_user_requests', 'Requests that were authenticated, by kind of user name.')
  const authentications = counter('authentication_attempts', 'Attempts to authenticate, by result.')
  const authenticationTimes = histogram('authentication_duration_seconds', 'How long authentication took, in seconds, by result.')
  const authorizations = counter(
    'authorization_attempts_total',
    "Attempts to authorize, by result: 'allowed', 'denied', 'no-opinion' or 'error'.",
  )
  const authorizationTimes = histogram('authorization_duration_seconds', 'How long authorization took, in seconds, by result.')

  const named = new Map([...namedUsers, 'email_id', 'other'].map((username) => [username, lazily(() => users.with({ username }))]))
  const byOutcome = results({ authenticated: 'success', rejected: 'error', unknown: 'failure' }, authentications, authenticationTimes)
  const byDecision = results({ allow: 'allowed', deny: 'denied', noOpinion: 'no-opinion' }, authorizations, authorizationTimes)
  return {
    authenticated: (result, seconds) => {
      if (result.outcome === 'authenticated') (named.get(result.user.name) ?? named.get(kindOfName(result.user.name))!)().value++
      byOutcome[result.outcome](seconds)
    },
    authorized: (decision, seconds) => byDecision[decision](seconds),
  }
}

/** User names with a label of their own. Other names are not exposed: they are private, and there may be any number of them. */
const namedUsers = ['admin', 'client', 'kube_proxy', 'kubelet', 'system:serviceaccount:kube-system:default']

function kindOfName(name: string): string {
  return name.includes('@') ? 'email_id' : 'other'
}

/** Creates each series on its first use. */
function results<K extends string>(
  names: Readonly<Record<K, string>>,
  attempts: { with(labels: { result: string }): Value },
  times: { with(labels: { result: string }): Histogram },
): Readonly<Record<K, (seconds: number) => void>> {
  const entries = Object.entries<string>(names).map(([key, result]) => {
    const series = lazily(() => ({ count: attempts.with({ result }), time: times.with({ result }) }))
    const observe = (seconds: number): void => {
      const { count, time } = series()
      count.value++
      time.observe(seconds)
    }
    return [key, observe]
  })
  return Object.fromEntries(entries) as Record<K, (seconds: number) => void>
}
