import {
  apiErrorFromStatus,
  isApiError,
  isJsonObject,
  messageOf,
  newGenericServerResponse,
  pause,
  systemClock,
} from '@keelson/apimachinery'
import type { Clock, JsonObject, JsonValue, Status } from '@keelson/apimachinery'
import { OutboundError } from '@keelson/outbound'
import type { OutboundClient } from '@keelson/outbound'

/** A webhook that responds to a SubjectAccessReview or TokenReview. */
export interface ReviewWebhook {
  readonly client: Pick<OutboundClient, 'request'>
  /** Returns the HTTP headers with credentials, for each request. */
  readonly headers?: (() => Promise<Readonly<Record<string, string>>>) | undefined
  /** Timeout of each attempt in milliseconds. Default 30 s. */
  readonly timeoutMs?: number
  readonly clock?: Clock
}

/** The result of one attempt, for metrics. `error` is undefined after a success. */
export interface ReviewAttempt {
  readonly error: Error | undefined
  readonly isTimeout: boolean
  readonly seconds: number
}

export interface ReviewOptions {
  /** Called with the result of each attempt. */
  readonly observe?: (attempt: ReviewAttempt) => void
}

/** Number of attempts. The pause between them grows by half each time, plus up to 20% at random. */
const maxAttempts = 5
const firstPauseMs = 500

/**
 * Sends a review and returns the `status` of the response. Retries transient failures: a reset connection, the statuses 429, 500 and 504,
 * and any response with a time to wait. Rejects with the last error.
 */
export async function sendReview(webhook: ReviewWebhook, review: JsonObject, { observe }: ReviewOptions = {}): Promise<JsonObject> {
  const { clock = systemClock } = webhook
  const body = JSON.stringify(review)
  let delay = firstPauseMs
  for (let attempt = 1; ; attempt++) {
    const start = performance.now()
    const answer = await post(webhook, review, body)
    const error = answer instanceof Error ? answer : undefined
    observe?.({ error, isTimeout: error !== undefined && isTimeout(error), seconds: (performance.now() - start) / 1000 })
    if (!(answer instanceof Error)) return answer
    if (attempt === maxAttempts || !isTransient(answer)) throw answer
    await pause(clock, delay * (1 + Math.random() * 0.2))
    delay *= 1.5
  }
}

async function post(webhook: ReviewWebhook, review: JsonObject, body: string): Promise<JsonObject | Error> {
  const answer = await webhook.client.request({
    method: 'POST',
    headers: { accept: 'application/json', 'content-type': 'application/json', ...(await webhook.headers?.()) },
    body,
    timeoutMs: webhook.timeoutMs ?? 30_000,
    idempotent: true,
  })
  if (answer.failed) return new OutboundError(answer.error.kind, answer.message, { cause: answer.error })
  const text = answer.body.toString('utf8')
  const value = parse(text)
  if (answer.status < 200 || answer.status > 206) return statusError(answer.status, text, value)
  if (!isJsonObject(value)) return new Error(`couldn't get version/kind; json parse error`)
  if (value['kind'] === 'Status') return statusError(answer.status, text, value)
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

function statusError(code: number, text: string, value: JsonValue | undefined): Error {
  if (isJsonObject(value) && value['kind'] === 'Status' && value['status'] !== 'Success') {
    try {
      return apiErrorFromStatus(value as unknown as Status)
    } catch (error) {
      return new Error(messageOf(error), { cause: error })
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
