import {
  CompactedError,
  FutureRevisionError,
  LeaseNotFoundError,
  ReadOnlyError,
  StoppedError,
  UnavailableError,
  type Revision,
} from '@keelson/storagebackend'

/**
 * What a failed call means. `outcome` matters to writes: "none" is that etcd certainly did nothing, "unknown" that it may have, or still may.
 * `transient`: the same call may succeed a moment later or at another server.
 */
export interface CallFailure {
  readonly outcome: 'none' | 'unknown'
  readonly transient: boolean
  readonly kind: 'compacted' | 'future' | 'lease-missing' | 'lease-exists' | 'no-space' | 'cancelled' | 'unavailable' | 'other'
  readonly message: string
  readonly cause: unknown
}

/** gRPC's status codes, as far as they are told apart. */
const cancelled = 1
const invalidArgument = 3
const deadlineExceeded = 4
const notFound = 5
const permissionDenied = 7
const resourceExhausted = 8
const failedPrecondition = 9
const outOfRange = 11
const unimplemented = 12
const dataLoss = 15
const unauthenticated = 16

/** With these etcd, or the gRPC library before it sent anything, has refused. */
const refusals: ReadonlySet<number> = new Set([
  invalidArgument,
  notFound,
  permissionDenied,
  resourceExhausted,
  failedPrecondition,
  outOfRange,
  unimplemented,
  dataLoss,
  unauthenticated,
])

/** The library's words for a call that never left: there was no connection to send it on. */
const neverSent = /^(No connection established|Name resolution failed|.*Waiting for LB pick|Channel has been shut down)/

/** The only place that looks at codes and words of gRPC and etcd. */
export function readFailure(error: unknown): CallFailure {
  const { code, details } = error as { readonly code?: unknown; readonly details?: unknown }
  const text = typeof details === 'string' && details !== '' ? details : error instanceof Error ? error.message : String(error)
  const message = text.replace(/\.? ?Resolution note: *$/, '')
  if (typeof code !== 'number') return { outcome: 'unknown', transient: false, kind: 'other', message, cause: error }
  const refused = { outcome: 'none', transient: false, message, cause: error } as const
  if (code === outOfRange && message.includes('compacted')) return { ...refused, kind: 'compacted' }
  if (code === outOfRange && message.includes('future revision')) return { ...refused, kind: 'future' }
  if (code === notFound && message.includes('lease')) return { ...refused, kind: 'lease-missing' }
  if (code === failedPrecondition && message.includes('lease already exists')) return { ...refused, kind: 'lease-exists' }
  if (code === resourceExhausted && message.includes('space exceeded')) return { ...refused, kind: 'no-space' }
  if (code === resourceExhausted && message.includes('too many requests')) return { ...refused, kind: 'unavailable', transient: true }
  if (refusals.has(code)) return { ...refused, kind: 'other' }
  if (neverSent.test(message)) return { ...refused, kind: 'unavailable', transient: true }
  const kind = code === cancelled ? 'cancelled' : 'unavailable'
  return {
    outcome: 'unknown',
    transient: true,
    kind,
    message: code === deadlineExceeded ? `no answer in time (${message})` : message,
    cause: error,
  }
}

/** Why etcd ended a watch that it had accepted, or refused to begin. */
export function readCancellation(reason: string): CallFailure {
  const transient = /no leader|leader changed|timed out|stopped|unhealthy|not capable/.test(reason)
  const kind = reason.includes('compacted') ? 'compacted' : transient ? 'unavailable' : 'other'
  return { outcome: 'none', transient, kind, message: reason === '' ? 'etcd ended the watch' : reason, cause: undefined }
}

export interface FailedCall {
  /** The revision that a read asked for. */
  readonly at?: Revision | undefined
  readonly current?: Revision | undefined
  readonly compacted?: Revision | undefined
  readonly lease?: number | undefined
}

/** The contract's error for a failure that stays. Writes of unknown outcome never come here: see resolve-outcome. */
export function toBackendError(failure: CallFailure, call: FailedCall = {}): Error {
  const { at = 0, current = 0, compacted = 0, lease = 0 } = call
  const options = { cause: failure.cause }
  switch (failure.kind) {
    case 'compacted':
      return new CompactedError(at, Math.max(compacted, at + 1))
    case 'future':
      return new FutureRevisionError(at, current)
    case 'lease-missing':
      return new LeaseNotFoundError(lease)
    case 'no-space':
      return new ReadOnlyError(failure.message, options)
    case 'unavailable':
    case 'cancelled':
      return new UnavailableError(`etcd cannot be reached: ${failure.message}`, options)
    case 'lease-exists':
    case 'other':
      return new Error(failure.message, options)
  }
}

export function closedError(): StoppedError {
  return new StoppedError()
}
