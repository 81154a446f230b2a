import { isApiError, isJsonObject, parseGroupVersion } from '@keelson/apimachinery'
import type { JsonObject } from '@keelson/apimachinery'
import { findAnswerError, OutboundError, parseReview, postToWebhook, retryWebhook } from '@keelson/outbound'
import type { KubeconfigWebhook, OutboundAnswer } from '@keelson/outbound'

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

/**
 * Sends a review and returns the `status` of the response. Retries transient failures: a reset connection, the statuses 429, 500 and 504,
 * and any response with a time to wait. Rejects with the last error.
 *
 * @example
 * const review = { kind: 'ImageReview', apiVersion: 'imagepolicy.k8s.io/v1alpha1', spec: { containers: [{ image: 'nginx' }] } }
 * using webhook = openKubeconfigWebhook(await readKubeconfig('/etc/images.kubeconfig'), { dialer: createDialer() })
 * const { allowed } = await sendReview(webhook, review)
 */
export async function sendReview(webhook: KubeconfigWebhook, review: JsonObject, options: ReviewOptions = {}): Promise<JsonObject> {
  const { observe, signal } = options
  const body = JSON.stringify(review)
  const attempt = async (): Promise<JsonObject | Error> => {
    const start = performance.now()
    const answer = await postToWebhook(webhook, { body, signal })
    const result = readReview(answer, review)
    const error = result instanceof Error ? result : undefined
    const seconds = (performance.now() - start) / 1000
    observe?.({ error, code: answer.status, isTimeout: error !== undefined && isTimeout(error), seconds })
    return result
  }
  const shouldRetry = (result: JsonObject | Error): boolean => result instanceof Error && isTransient(result)
  const result = await retryWebhook(webhook, attempt, { shouldRetry, signal })
  if (result instanceof Error) throw result
  return result
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
