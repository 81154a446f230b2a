import type { Status, StatusCause, StatusDetails } from './meta.ts'

/** HTTP status code of each Status reason in API responses. */
export const reasons = {
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  AlreadyExists: 409,
  Conflict: 409,
  Gone: 410,
  Expired: 410,
  Invalid: 422,
  ServerTimeout: 500,
  StoreReadError: 500,
  InternalError: 500,
  Timeout: 504,
  TooManyRequests: 429,
  BadRequest: 400,
  MethodNotAllowed: 405,
  NotAcceptable: 406,
  RequestEntityTooLarge: 413,
  UnsupportedMediaType: 415,
  ServiceUnavailable: 503,
} as const
export type Reason = keyof typeof reasons

export interface ApiErrorInit {
  /** Reason of the Status. "" if there is no specific reason. */
  readonly reason: Reason | ''
  readonly message: string
  /** HTTP status code. Default: the code of the reason, or 500 without a reason. */
  readonly code?: number
  readonly details?: StatusDetails
  readonly cause?: unknown
}

/** Limits of a Status in characters. Messages repeat values of the request. Without limits, a response could become much larger than its request. */
const maxMessage = 256 * 1024
const maxText = 64 * 1024
const maxCauses = 512 * 1024

function truncateText(text: string, max: number): string {
  if (text.length <= max) return text
  return `${text.slice(0, max).toWellFormed()}... (${text.length - max} more characters)`
}

function truncateDetails(details: StatusDetails): StatusDetails {
  const { name = '', causes = [] } = details
  if (name.length <= maxText && measureCauses(causes) <= maxText) return details
  const shortCauses: StatusCause[] = []
  let length = 0
  for (const cause of causes) {
    const short = { ...cause }
    if (cause.message !== undefined) short.message = truncateText(cause.message, maxText)
    if (cause.field !== undefined) short.field = truncateText(cause.field, maxText)
    length += measureCauses([short])
    if (length > maxCauses) break
    shortCauses.push(short)
  }
  return {
    ...details,
    ...(details.name === undefined ? undefined : { name: truncateText(name, maxText) }),
    ...(details.causes === undefined ? undefined : { causes: shortCauses }),
  }
}

function measureCauses(causes: readonly StatusCause[]): number {
  // Approximate JSON size of a status cause without its strings.
  let length = 64 * causes.length
  for (const { message = '', field = '' } of causes) length += message.length + field.length
  return length
}

/**
 * An API failure that can be thrown. `status` is the complete response body (metav1.Status), with its members in kube-apiserver's order. Very
 * long strings are truncated.
 */
export class ApiError extends Error {
  readonly status: Status

  constructor(init: ApiErrorInit) {
    const message = truncateText(init.message, maxMessage)
    super(message, init.cause === undefined ? undefined : { cause: init.cause })
    this.name = 'ApiError'
    this.status = {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message,
      ...(init.reason === '' ? undefined : { reason: init.reason }),
      ...(init.details === undefined ? undefined : { details: truncateDetails(init.details) }),
      code: init.code ?? (init.reason === '' ? 500 : reasons[init.reason]),
    }
  }

  get code(): number {
    return this.status.code!
  }

  get reason(): string {
    return this.status.reason ?? ''
  }

  get details(): StatusDetails | undefined {
    return this.status.details
  }
}

/**
 * Returns whether a thrown value is an `ApiError`, optionally with this reason. Compares the name of the class, because two copies of this
 * package may be loaded and `instanceof` would fail.
 */
export function isApiError(error: unknown, reason?: Reason): error is ApiError {
  if (!(error instanceof Error) || error.name !== 'ApiError' || !('status' in error)) return false
  return reason === undefined || (error as ApiError).reason === reason
}

/** Wraps the Status of another server, such as an aggregated server or a webhook, without truncating it. */
export function createApiErrorFromStatus(status: Status, options?: { readonly cause?: unknown }): ApiError {
  const error = new ApiError({ reason: '', message: status.message ?? '', cause: options?.cause })
  Object.assign(error, { status: { ...error.status, ...status, kind: 'Status', apiVersion: 'v1', code: status.code || 500 } })
  return error
}

/** Returns the message of an error, or the text of any other thrown value. */
export function getErrorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
