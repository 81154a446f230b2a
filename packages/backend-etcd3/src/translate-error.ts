import { getErrorMessage } from '@keelson/apimachinery'
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
 * The meaning of a failed call. `outcome` is for writes: "none" means that etcd certainly did not apply the write, "unknown" means that etcd may
 * have applied it or may still do so. If `transient` is true, the same call may succeed later or at another server.
 */
export interface CallFailure {
  readonly outcome: 'none' | 'unknown'
  readonly transient: boolean
  readonly kind: 'compacted' | 'future' | 'lease-missing' | 'lease-exists' | 'no-space' | 'cancelled' | 'unavailable' | 'other'
  readonly message: string
  readonly cause: unknown
}

/** gRPC status codes with a special meaning here. */
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

/** gRPC status codes of calls that etcd rejected, or that the gRPC library did not send. */
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

/** Matches the gRPC library's message for a call that was never sent, because there was no connection. */
const neverSent = /^(No connection established|Name resolution failed|.*Waiting for LB pick|Channel has been shut down)/

/** Determines the meaning of a call's error. Only this function reads the codes and messages of gRPC and etcd. */
export function readFailure(error: unknown): CallFailure {
  const { code, details } = error as { readonly code?: unknown; readonly details?: unknown }
  const text = typeof details === 'string' && details !== '' ? details : getErrorMessage(error)
  const message = text.replace(/\.? ?Resolution note: *$/, '')
  if (typeof code !== 'number') return { outcome: 'unknown', transient: false, kind: 'other', message, cause: error }
  const noEffect = { outcome: 'none', transient: false, message, cause: error } as const
  if (code === outOfRange && message.includes('compacted')) return { ...noEffect, kind: 'compacted' }
  if (code === outOfRange && message.includes('future revision')) return { ...noEffect, kind: 'future' }
  if (code === notFound && message.includes('lease')) return { ...noEffect, kind: 'lease-missing' }
  if (code === failedPrecondition && message.includes('lease already exists')) return { ...noEffect, kind: 'lease-exists' }
  if (code === resourceExhausted && message.includes('space exceeded')) return { ...noEffect, kind: 'no-space' }
  if (code === resourceExhausted && message.includes('too many requests')) return { ...noEffect, kind: 'unavailable', transient: true }
  if (refusals.has(code)) return { ...noEffect, kind: 'other' }
  if (neverSent.test(message)) return { ...noEffect, kind: 'unavailable', transient: true }
  const kind = code === cancelled ? 'cancelled' : 'unavailable'
  return {
    outcome: 'unknown',
    transient: true,
    kind,
    message: code === deadlineExceeded ? `no answer in time (${message})` : message,
    cause: error,
  }
}

/** Determines the meaning of the reason for which etcd cancelled or refused a watch. */
export function readCancellation(reason: string): CallFailure {
  const transient = /no leader|leader changed|timed out|stopped|unhealthy|not capable/.test(reason)
  const kind = reason.includes('compacted') ? 'compacted' : transient ? 'unavailable' : 'other'
  return { outcome: 'none', transient, kind, message: reason === '' ? 'etcd ended the watch' : reason, cause: undefined }
}

export interface FailedCall {
  /** Revision that a read requested. */
  readonly at?: Revision | undefined
  readonly current?: Revision | undefined
  readonly compacted?: Revision | undefined
  readonly lease?: number | undefined
}

/**
 * Returns the error of the storage contract for a call that failed permanently. Writes with an unknown outcome are handled in resolve-outcome.ts
 * instead.
 */
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

export function newClosedError(): StoppedError {
  return new StoppedError()
}
