import { anonymousUser, newUnauthorized, unauthenticatedGroup } from '@keelson/apimachinery'
import { createIdentityHeaderRemover } from '@keelson/auth'
import type { AuthenticationResult, Authenticator, Decision, IdentityHeaders } from '@keelson/auth'
import type { Exchange } from '@keelson/exchange'
import { writeError } from '@keelson/http-installer'
import { closeAfterAnswer } from '../close-after-answer.ts'
import { getConnectionKey, findConnection } from '../peer.ts'
import type { Connection, Peer } from '../peer.ts'
import type { RequestMetrics } from '../request-metrics.ts'
import { describeCredentials } from './audit.ts'
import type { Filter, FilterOutcome } from './filter.ts'
import { createCounter, createHistogram, memoize } from '@keelson/apimachinery/metrics'
import type { Histogram, MetricsRegistry, Value } from '@keelson/apimachinery/metrics'

interface AuthenticationFilterOptions {
  /** Returns the headers with user names, in addition to `X-Remote-*`. A change is another list. */
  readonly identityHeaders: () => IdentityHeaders
  /** Called with the reason when the credentials of a request are rejected. */
  readonly onRejected?: ((reason: string, exchange: Exchange) => void) | undefined
  readonly access: Pick<AccessMetrics, 'recordAuthentication'>
  readonly metrics: Pick<RequestMetrics, 'clientCertificate'>
}

interface Client {
  readonly connection: Connection | undefined
  readonly peer: Peer | undefined
}

/**
 * Creates a filter that sets the user of a request, or answers 401. An HTTP/2 connection closes after an unauthenticated request, because
 * idle sessions are expensive.
 */
export function authenticate(authenticator: Authenticator, options: AuthenticationFilterOptions): Filter {
  const { access, metrics } = options
  let identityHeaders = options.identityHeaders()
  let removeIdentityHeaders = createIdentityHeaderRemover(identityHeaders)

  function finish(exchange: Exchange, result: AuthenticationResult, { connection, peer }: Client): FilterOutcome {
    const { incoming, outgoing } = exchange
    // Reads the clock once for the end of this phase and the start of the next.
    exchange.phaseStarted = performance.now()
    const milliseconds = exchange.phaseStarted - exchange.started
    access.recordAuthentication(result, milliseconds / 1000)
    exchange.audit?.addLatency('authentication', milliseconds)
    if (result.outcome !== 'authenticated') {
      if (result.outcome === 'rejected') options.onRejected?.(result.reason, exchange)
      closeAfterAnswer(incoming)
      // Closes the connection of a client whose certificate was rejected. On a new connection the client may send another certificate.
      if (peer?.error !== undefined && 'shouldKeepAlive' in outgoing) outgoing.shouldKeepAlive = false
      exchange.audit?.beginRefused(describeCredentials(exchange, peer !== undefined))
      writeError(exchange, newUnauthorized('Unauthorized'))
      return 'answered'
    }
    if (peer?.certificate !== undefined) metrics.clientCertificate.observe((peer.expires - Date.now()) / 1000)
    const { user } = result
    exchange.requestor = exchange.user = user
    if (user.name === anonymousUser || user.groups.includes(unauthenticatedGroup)) closeAfterAnswer(incoming)
    else connection?.identified()
    // Removes the credentials, so that neither handlers nor servers behind a proxy see them.
    delete incoming.headers.authorization
    const newest = options.identityHeaders()
    if (newest !== identityHeaders) removeIdentityHeaders = createIdentityHeaderRemover((identityHeaders = newest))
    removeIdentityHeaders(incoming)
  }
  return (exchange) => {
    const { incoming, presetUser } = exchange
    const key = getConnectionKey(incoming)
    const connection = findConnection(key)
    const client = { connection, peer: connection?.peer }
    if (presetUser !== undefined) return finish(exchange, { outcome: 'authenticated', user: presetUser }, client)
    const frontProxy = connection?.frontProxy
    const result = authenticator.authenticate({
      headers: incoming.headers,
      rawHeaders: incoming.rawHeaders,
      path: exchange.attributes.path,
      peerCertificate: client.peer?.certificate,
      peerCertificateError: client.peer?.error,
      frontProxyCertificate: frontProxy?.certificate,
      frontProxyCertificateError: frontProxy?.error,
      connection: key,
      notes: exchange,
    })
    return result instanceof Promise ? result.then((late) => finish(exchange, late, client)) : finish(exchange, result, client)
  }
}

/** Histogram buckets from 1 ms to 16 s. Each bound is twice the previous one. */
const buckets = Array.from({ length: 15 }, (_, i) => 2 ** i / 1000)

/** Metrics of authentication and authorization, with kube-apiserver's names. Updating an existing series allocates no memory. */
export interface AccessMetrics {
  recordAuthentication(result: AuthenticationResult, seconds: number): void
  recordAuthorization(decision: Decision['decision'] | 'error', seconds: number): void
}

export function createAccessMetrics(registry: MetricsRegistry): AccessMetrics {
  const registerCounter = (name: string, help: string): ReturnType<typeof createCounter> =>
    registry.register(createCounter(name, `[ALPHA] ${help}`))
  const registerHistogram = (name: string, help: string): ReturnType<typeof createHistogram> =>
    registry.register(createHistogram(name, `[ALPHA] ${help}`, buckets))
  const users = registerCounter('authenticated_user_requests', 'Requests that were authenticated, by kind of user name.')
  const authentications = registerCounter('authentication_attempts', 'Attempts to authenticate, by result.')
  const authenticationTimes = registerHistogram('authentication_duration_seconds', 'How long authentication took, in seconds, by result.')
  const authorizations = registerCounter(
    'authorization_attempts_total',
    "Attempts to authorize, by result: 'allowed', 'denied', 'no-opinion' or 'error'.",
  )
  const authorizationTimes = registerHistogram('authorization_duration_seconds', 'How long authorization took, in seconds, by result.')

  const knownUsers = new Map([...namedUsers, 'email_id', 'other'].map((username) => [username, memoize(() => users.with({ username }))]))
  const byOutcome = createResults({ authenticated: 'success', rejected: 'error', unknown: 'failure' }, authentications, authenticationTimes)
  const byDecision = createResults(
    { allow: 'allowed', deny: 'denied', noOpinion: 'no-opinion', error: 'error' },
    authorizations,
    authorizationTimes,
  )
  return {
    recordAuthentication: (result, seconds) => {
      if (result.outcome === 'authenticated')
        (knownUsers.get(result.user.name) ?? knownUsers.get(classifyName(result.user.name))!)().value++
      byOutcome[result.outcome](seconds)
    },
    recordAuthorization: (decision, seconds) => byDecision[decision](seconds),
  }
}

/** User names that have a label value of their own. Other names are private and unlimited in number, so they share one value. */
const namedUsers = ['admin', 'client', 'kube_proxy', 'kubelet', 'system:serviceaccount:kube-system:default']

function classifyName(name: string): string {
  return name.includes('@') ? 'email_id' : 'other'
}

/** Returns a function that counts one result of each outcome. The series of an outcome is created on first use. */
function createResults<K extends string>(
  names: Readonly<Record<K, string>>,
  attempts: { with(labels: { result: string }): Value },
  times: { with(labels: { result: string }): Histogram },
): Readonly<Record<K, (seconds: number) => void>> {
  const entries = Object.entries<string>(names).map(([key, result]) => {
    const series = memoize(() => ({ count: attempts.with({ result }), time: times.with({ result }) }))
    const observe = (seconds: number): void => {
      const { count, time } = series()
      count.value++
      time.observe(seconds)
    }
    return [key, observe]
  })
  return Object.fromEntries(entries) as Record<K, (seconds: number) => void>
}
