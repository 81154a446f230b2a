import type { Revision } from './backend.ts'

/**
 * The names of the errors that drivers throw. Compare names instead of using `instanceof`, because two copies of this package may be
 * loaded.
 */
export type BackendErrorName =
  | 'CompactedError'
  | 'FutureRevisionError'
  | 'ReadOnlyError'
  | 'StoppedError'
  | 'UnavailableError'
  | 'UnknownOutcomeError'
  | 'SlowWatcherError'
  | 'LeaseNotFoundError'

abstract class BackendError extends Error {
  abstract override readonly name: BackendErrorName
}

/** The error of a read or watch from a revision that has been compacted. */
export class CompactedError extends BackendError {
  override readonly name = 'CompactedError'
  readonly revision: Revision
  readonly compactedRevision: Revision
  constructor(revision: Revision, compactedRevision: Revision) {
    super(`revision ${revision} has been compacted; the oldest available revision is ${compactedRevision}`)
    this.revision = revision
    this.compactedRevision = compactedRevision
  }
}

/** The error of a read at a revision that does not exist yet. */
export class FutureRevisionError extends BackendError {
  override readonly name = 'FutureRevisionError'
  readonly revision: Revision
  readonly currentRevision: Revision
  constructor(revision: Revision, currentRevision: Revision) {
    super(`revision ${revision} is in the future; the current one is ${currentRevision}`)
    this.revision = revision
    this.currentRevision = currentRevision
  }
}

/** The error of a write when the store has no space left. Nothing was written, and reads still work. */
export class ReadOnlyError extends BackendError {
  override readonly name = 'ReadOnlyError'
  constructor(reason: string, options?: ErrorOptions) {
    super(`the store is read-only: ${reason}`, options)
  }
}

/** The error of a request to a closed store, or to a store whose last flush failed so that its state on disk is unknown. */
export class StoppedError extends BackendError {
  override readonly name = 'StoppedError'
  /** Without a reason, the message says that the store was closed. */
  constructor(reason?: string, options?: ErrorOptions) {
    super(reason === undefined ? 'the store is closed' : `the store has stopped: ${reason}`, options)
  }
}

/** The error of a request when the store cannot be reached. Nothing was written. */
export class UnavailableError extends BackendError {
  override readonly name = 'UnavailableError'
}

/** The error of a write when the connection was lost after sending the request. The write may have happened. */
export class UnknownOutcomeError extends BackendError {
  override readonly name = 'UnknownOutcomeError'
}

/** The error that ends a watch whose reader was too slow, so that the watch's buffer is full. */
export class SlowWatcherError extends BackendError {
  override readonly name = 'SlowWatcherError'
  constructor(message = 'the reader of the watch was too slow, so the watch ended') {
    super(message)
  }
}

/** The error of a put whose lease does not exist or has expired. */
export class LeaseNotFoundError extends BackendError {
  override readonly name = 'LeaseNotFoundError'
  constructor(lease: number) {
    super(`lease ${lease} does not exist`)
  }
}

/** The error classes, with their names as keys. */
export interface BackendErrors {
  readonly CompactedError: CompactedError
  readonly FutureRevisionError: FutureRevisionError
  readonly ReadOnlyError: ReadOnlyError
  readonly StoppedError: StoppedError
  readonly UnavailableError: UnavailableError
  readonly UnknownOutcomeError: UnknownOutcomeError
  readonly SlowWatcherError: SlowWatcherError
  readonly LeaseNotFoundError: LeaseNotFoundError
}

/** Returns true if the error is the driver error with this name. */
export function isBackendError<N extends BackendErrorName>(error: unknown, name: N): error is BackendErrors[N] {
  return error instanceof Error && error.name === name
}
