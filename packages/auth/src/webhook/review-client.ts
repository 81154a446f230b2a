import { formatDuration, isApiError, isJsonObject, parseGroupVersion, pause, systemClock } from '@keelson/apimachinery'
import type { Clock, JsonObject } from '@keelson/apimachinery'
import { findAnswerError, OutboundError, parseReview } from '@keelson/outbound'
import type { Dialer, EgressNetwork, KubeconfigClient, OutboundAnswer, OutboundClient } from '@keelson/outbound'

/** A webhook that responds to a review: a SubjectAccessReview, TokenReview or ImageReview. */
export interface ReviewWebhook {
  readonly client: Pick<OutboundClient, 'request'>
  /** Returns the HTTP headers with credentials, for each request. */
  readonly headers?: (() => Promise<Readonly<Record<string, string>>>) | undefined
  /** Called after a response with status 401. */
  readonly rejectCredentials?: () => void
  /** Timeout of each attempt in milliseconds. Default 30 s. */
  readonly timeoutMs?: number
  /** Pause before the second attempt in milliseconds. Default 500 ms. */
  readonly retryBackoffMs?: number
  readonly clock?: Clock
}

export interface ReviewWebhookOptions extends Pick<ReviewWebhook, 'retryBackoffMs' | 'clock'> {
  readonly dialer: Dialer
  readonly timeoutMs?: number | undefined
  /** Network for egress selection. Default: `controlplane`. */
  readonly network?: EgressNetwork
}

/** Opens the webhook that a kubeconfig names. Like client-go, its URL tells the timeout. Disposing it closes its connections. */
export function openReviewWebhook(kubeconfig: KubeconfigClient, options: ReviewWebhookOptions): ReviewWebhook & Disposable {
  const { dialer, timeoutMs = defaultTimeoutMs, network = 'controlplane', ...rest } = options
  const separator = kubeconfig.url.includes('?') ? '&' : '?'
  const url = `${kubeconfig.url}${separator}timeout=${formatDuration(BigInt(timeoutMs) * 1_000_000n)}`
  const { tls, readCertificate, rejectCredentials } = kubeconfig
  const client = dialer.client({ url, tls, network, readCertificate })
  return {
    ...rest,
    client,
    timeoutMs,
    headers: () => kubeconfig.headers(),
    ...(rejectCredentials && { rejectCredentials }),
    [Symbol.dispose]: () => client[Symbol.dispose](),
  }
}

/** The result of one attempt, for metrics. `error` is undefined after a success. */
export interface ReviewAttempt {
  readonly error: Error | undefined
  readonly isTimeout: boolean
  readonly seconds: number
  /** HTTP status of the response. Undefined if none arrived. */
  readonly code: number | undefined
}

export interface ReviewOptions {
  /** Called with the result of each attempt. */
  readonly observe?: ((attempt: ReviewAttempt) => void) | undefined
  /** Signal that cancels the review. */
  readonly signal?: AbortSignal
}

/** Number of attempts. The pause between them grows by half each time, plus up to 20% at random. */
const maxAttempts = 5
const defaultBackoffMs = 500
const defaultTimeoutMs = 30_000

/**
 * Sends a review and returns the `status` of the response. Retries transient failures: a reset connection, the statuses 429, 500 and 504,
 * and any response with a time to wait. Rejects with the last error.
 *
 * @example
 * const review = { kind: 'ImageReview', apiVersion: 'imagepolicy.k8s.io/v1alpha1', spec: { containers: [{ image: 'nginx' }] } }
 * using webhook = openReviewWebhook(await readKubeconfig('/etc/images.kubeconfig'), { dialer: createDialer() })
 * const { allowed } = await sendReview(webhook, review)
 */
export async function sendReview(webhook: ReviewWebhook, review: JsonObject, options: ReviewOptions = {}): Promise<JsonObject> {
  const { clock = systemClock, retryBackoffMs = defaultBackoffMs } = webhook
  const { observe, signal } = options
  const body = JSON.stringify(review)
  let delay = retryBackoffMs
  for (let attempt = 1; ; attempt++) {
    const start = performance.now()
    const { answer, code } = await post(webhook, { review, body, signal })
    const error = answer instanceof Error ? answer : undefined
    observe?.({ error, code, isTimeout: error !== undefined && isTimeout(error), seconds: (performance.now() - start) / 1000 })
    if (!(answer instanceof Error)) return answer
    if (attempt === maxAttempts || !isTransient(answer)) throw answer
    await pause(clock, delay * (1 + Math.random() * 0.2), signal && { signal })
    if (signal?.aborted === true) throw answer
    delay *= 1.5
  }
}

interface Post {
  readonly review: JsonObject
  readonly body: string
  readonly signal: AbortSignal | undefined
}

interface Posted {
  readonly answer: JsonObject | Error
  readonly code: number | undefined
}

async function post(webhook: ReviewWebhook, { review, body, signal }: Post): Promise<Posted> {
  const answer = await webhook.client.request({
    method: 'POST',
    headers: { accept: 'application/json, */*', 'content-type': 'application/json', ...(await webhook.headers?.()) },
    body,
    timeoutMs: webhook.timeoutMs ?? defaultTimeoutMs,
    idempotent: true,
    ...(signal && { signal }),
  })
  if (!answer.failed && answer.status === 401) webhook.rejectCredentials?.()
  return { code: answer.status, answer: readReview(answer, review) }
}

/** Returns the `status` of a review, or the error for which the response has none. */
function readReview(answer: OutboundAnswer, review: JsonObject): JsonObject | Error {
  const problem = findAnswerError(answer)
  if (answer.failed) return new OutboundError(answer.error.kind, problem?.message ?? answer.message, { cause: answer.error })
  if (problem !== undefined) return problem
  const parsed = parseReview(answer.body, describeExpected(review))
  if (parsed.review === undefined) return new Error(parsed.problem)
  const { status } = parsed.review
  return isJsonObject(status) ? status : {}
}

/** Returns the type of the response: that of the request. The other versions of access reviews and token reviews are known, too. */
function describeExpected({ apiVersion, kind }: JsonObject): Parameters<typeof parseReview>[1] {
  const { group, version } = parseGroupVersion(apiVersion as string)
  return { group, version, kind: kind as string, versions: [version, 'v1', 'v1beta1'], kinds: [kind as string] }
}

function isTimeout(error: Error): boolean {
  return error instanceof OutboundError ? error.kind === 'timeout' : isApiError(error, 'Timeout')
}

const transientReasons: ReadonlySet<string> = new Set(['InternalError', 'Timeout', 'TooManyRequests', 'ServerTimeout'])

function isTransient(error: Error): boolean {
  if (error instanceof OutboundError) return error.kind === 'reset' || error.message.endsWith('http2: client connection lost')
  if (!isApiError(error)) return false
  return transientReasons.has(error.status.reason ?? '') || (error.status.details?.retryAfterSeconds ?? 0) > 0
}
