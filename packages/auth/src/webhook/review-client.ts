import {
  createApiErrorFromStatus,
  formatDuration,
  isApiError,
  isJsonObject,
  getErrorMessage,
  newGenericServerResponse,
  pause,
  systemClock,
} from '@keelson/apimachinery'
import type { Clock, JsonObject, JsonValue, Status } from '@keelson/apimachinery'
import { OutboundError } from '@keelson/outbound'
import type { Dialer, EgressNetwork, KubeconfigClient, OutboundAnswer, OutboundClient } from '@keelson/outbound'

/** A webhook that responds to a review: a SubjectAccessReview, TokenReview or ImageReview. */
export interface ReviewWebhook {
  readonly client: Pick<OutboundClient, 'request'>
  /** Returns the HTTP headers with credentials, for each request. */
  readonly headers?: (() => Promise<Readonly<Record<string, string>>>) | undefined
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
  const client = dialer.client({ url, tls: kubeconfig.tls, network })
  return { ...rest, client, timeoutMs, headers: () => kubeconfig.headers(), [Symbol.dispose]: () => client[Symbol.dispose]() }
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
  if (answer.failed) {
    return { code: answer.status, answer: new OutboundError(answer.error.kind, answer.message, { cause: answer.error }) }
  }
  return { code: answer.status, answer: readReview(answer, review) }
}

/** Returns the `status` of a review, or the error for which the response has none. */
function readReview(answer: OutboundAnswer & { failed: false }, review: JsonObject): JsonObject | Error {
  const text = answer.body.toString('utf8')
  const value = parse(text)
  const contentType = answer.headers['content-type'] ?? ''
  if (answer.status < 200 || answer.status > 206) return createStatusError(answer.status, isText(contentType) ? text : '', value)
  if (text === '') {
    return new Error(`0-length response with status code: ${answer.status} and content type: ${contentType || 'application/json'}`)
  }
  if (!isJsonObject(value)) return new Error(`couldn't get version/kind; json parse error`)
  if (value['kind'] === 'Status') return createStatusError(answer.status, text, value)
  for (const member of ['apiVersion', 'kind'] as const) {
    const received = value[member] ?? ''
    if (received !== '' && received !== review[member]) {
      return new Error(`the webhook answered with ${member} ${JSON.stringify(received)} instead of ${JSON.stringify(review[member])}`)
    }
  }
  return isJsonObject(value['status']) ? value['status'] : {}
}

function parse(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return undefined
  }
}

/** Returns whether the body of an error is meant for people. Others are not repeated in messages, as in client-go. */
function isText(contentType: string): boolean {
  return contentType === '' || contentType.startsWith('text/')
}

function createStatusError(code: number, text: string, value: JsonValue | undefined): Error {
  if (isJsonObject(value) && value['kind'] === 'Status' && value['status'] !== 'Success') {
    try {
      return createApiErrorFromStatus(value as unknown as Status)
    } catch (error) {
      return new Error(getErrorMessage(error), { cause: error })
    }
  }
  return newGenericServerResponse(code, 'POST', { group: '', resource: '' }, '', {
    serverMessage: text.trim() === '' ? 'unknown' : text.trim().slice(0, 2048),
    isUnexpectedResponse: true,
  })
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
