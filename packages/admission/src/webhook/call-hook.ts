import {
  createApiErrorFromStatus,
  groupVersionResourceString,
  isApiError,
  getErrorMessage,
  newBadRequest,
  newUid,
} from '@keelson/apimachinery'
import type { ApiError, DeepReadonly, Span, Status } from '@keelson/apimachinery'
import { findAnswerError } from '@keelson/outbound'
import type { OutboundAnswer } from '@keelson/outbound'
import type { AdmissionAttributes } from '../admission.ts'
import { decodeReview, encodeReview } from './admission-review.ts'
import type { ReviewResponse } from './admission-review.ts'
import type { Hook } from './hook.ts'
import type { HookRequest } from './hook-clients.ts'
import type { Invocation } from './match-hook.ts'

/** The outcome of a call. */
export type HookOutcome =
  | { readonly kind: 'allowed'; readonly response: ReviewResponse }
  /** The webhook refused the write. */
  | { readonly kind: 'rejected'; readonly error: ApiError }
  /** The webhook could not be called or returned an invalid response. `code` is the HTTP status for metrics. */
  | { readonly kind: 'failed'; readonly message: string; readonly code: number }
  /** The server must not call the webhook, whatever its failure policy is. */
  | { readonly kind: 'refused'; readonly error: ApiError }

/** Calls a webhook once. Rejects only if the request has ended, with the reason of its signal. */
export async function callHook({ hook, matched, objects }: Invocation, attributes: AdmissionAttributes): Promise<HookOutcome> {
  const fail = (message: string, code: number): HookOutcome => ({ kind: 'failed', message: formatFailure(hook, message), code })
  const { context } = attributes
  if (attributes.dryRun) {
    if (hook.allowsDryRun === undefined) return fail('Webhook SideEffects is nil', 400)
    if (!hook.allowsDryRun) {
      return { kind: 'refused', error: newBadRequest(`admission webhook ${JSON.stringify(hook.name)} does not support dry run`) }
    }
  }
  const version = hook.reviewVersion
  if (version === undefined) {
    return fail('could not create admission objects: webhook does not accept known AdmissionReview versions (v1, v1beta1)', 400)
  }
  const { signal } = context
  signal.throwIfAborted()
  const uid = newUid()
  const body = encodeReview({ version, uid, attributes, matched, objects })
  const step = context.span && startHookStep(context.span, hook, { attributes, uid })
  let answer: OutboundAnswer
  const began = performance.now()
  try {
    answer = await hook.client.request({ body, ...computeTimes(hook, attributes), signal, span: step })
    step?.addEvent('Request completed')
  } catch (error) {
    return fail(`could not get REST client: ${getErrorMessage(error)}`, 500)
  } finally {
    step?.end(slowHookMs)
  }
  context.excludeLatency?.(`${hook.type}-webhook`, performance.now() - began)
  signal.throwIfAborted()
  const problem = findAnswerError(answer)
  if (answer.failed || problem !== undefined) {
    return fail(`failed to call webhook: ${problem?.message ?? ''}`, isApiError(problem) ? problem.code : 503)
  }
  const decoded = decodeReview(answer.body, { version, uid, isMutating: hook.type === 'mutating' })
  if (decoded.response === undefined) return fail(decoded.problem, 503)
  const { response } = decoded
  annotateWrite(hook, response, attributes)
  for (const warning of response.warnings) context.warn(warning)
  return response.allowed ? { kind: 'allowed', response } : { kind: 'rejected', error: createRejection(hook, response.status) }
}

/** Time in milliseconds from which the call of a webhook is in the log of slow requests. */
const slowHookMs = 500

interface HookCall {
  readonly attributes: AdmissionAttributes
  readonly uid: string
}

/** Starts the step of a call. The name and the attributes are kube-apiserver's. */
function startHookStep(request: Span, { type, name, configuration }: Hook, { attributes, uid }: HookCall): Span {
  const { resource, subresource, operation } = attributes
  return request.startChild(`Call ${type} webhook`, () => ({
    configuration,
    webhook: name,
    resource: groupVersionResourceString(resource),
    subresource,
    operation,
    UID: uid,
  }))
}

/** Returns kube-apiserver's message for a failed call. */
export function formatFailure({ name }: Hook, reason: string): string {
  return `failed calling webhook ${JSON.stringify(name)}: ${reason}`
}

/** Time after the end of a request in which its signal aborts, in milliseconds. Deadlines of requests are checked once a second. */
const graceMs = 2000

/**
 * Returns the time for a call: the timeout of the webhook, or the rest of the request's time if that is shorter. The call then ends with the
 * request, which gets a 504, and not before it.
 */
function computeTimes({ timeoutMs }: Hook, { context: { deadline } }: AdmissionAttributes): Pick<HookRequest, 'announcedMs' | 'timeoutMs'> {
  const rest = deadline === undefined ? Infinity : Math.max(1, deadline - performance.now())
  return rest < timeoutMs ? { announcedMs: rest, timeoutMs: rest + graceMs } : { announcedMs: timeoutMs, timeoutMs }
}

/** Returns the error with which a webhook refused a write. Its code, reason and message come from the webhook. */
function createRejection({ name }: Hook, sent: DeepReadonly<Status> | undefined): ApiError {
  const { message = '', reason = '', status = '', code = 0 } = sent ?? {}
  const denied = `admission webhook ${JSON.stringify(name)} denied the request`
  const detail = message || reason
  return createApiErrorFromStatus({
    ...(sent as Status | undefined),
    message: detail === '' ? `${denied} without explanation` : `${denied}: ${detail}`,
    status: status === '' || status === 'Success' ? 'Failure' : status,
    // HTTP has no codes above 999.
    code: code < 400 ? 400 : code > 999 ? 500 : code,
  } as Status)
}

function annotateWrite({ name }: Hook, { auditAnnotations }: ReviewResponse, attributes: AdmissionAttributes): void {
  for (const [key, value] of Object.entries(auditAnnotations)) {
    if (isAnnotationName(key)) attributes.annotate(`${name}/${key}`, value)
  }
}

/** Returns whether a text can follow the prefix in the key of an annotation. Other annotations of a response are ignored. */
function isAnnotationName(text: string): boolean {
  return text.length <= 63 && /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/.test(text)
}
