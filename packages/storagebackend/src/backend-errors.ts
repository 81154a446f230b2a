import type { Revision } from './backend.ts'

/** The errors of a driver. Recognise them by name: two copies of this package may be loaded. */
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

/** The requested revision is older than the kept history. */
export class CompactedError extends BackendError {
  override readonly name = 'CompactedError'
  readonly revision: Revision
  readonly compactedRevision: Revision
  constructor(revision: Revision, compactedRevision: Revision) {
    super(`revision ${revision} has been compacted; the oldest kept is ${compactedRevision}`)
    this.revision = revision
    this.compactedRevision = compactedRevision
  }
}

/** The requested revision does not exist yet. */
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

/** Nothing was written, for lack of space. Reads continue. */
export class ReadOnlyError extends BackendError {
  override readonly name = 'ReadOnlyError'
  constructor(reason: string, options?: ErrorOptions) {
    super(`the store is read-only: ${reason}`, options)
  }
}

/** The store was closed, or a flush failed and the durable state is unknown. */
export class StoppedError extends BackendError {
  override readonly name = 'StoppedError'
  /** Without a reason: the store was closed. */
  constructor(reason?: string, options?: ErrorOptions) {
    super(reason === undefined ? 'the store is closed' : `the store has stopped: ${reason}`, options)
  }
}

/** The store cannot be reached. Nothing was written. */
export class UnavailableError extends BackendError {
  override readonly name = 'UnavailableError'
}

/** The connection was lost after a write was sent: it may have happened. */
export class UnknownOutcomeError extends BackendError {
  override readonly name = 'UnknownOutcomeError'
}

/** The reader of the watch fell too far behind; the watch ended rather than lose changes. */
export class SlowWatcherError extends BackendError {
  override readonly name = 'SlowWatcherError'
  constructor(message = 'the watch fell too far behind and was ended') {
    super(message)
  }
}

/** The lease of a put does not exist, or has expired. */
export class LeaseNotFoundError extends BackendError {
  override readonly name = 'LeaseNotFoundError'
  constructor(lease: number) {
    super(`lease ${lease} does not exist`)
  }
}

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

export function isBackendError<N extends BackendErrorName>(error: unknown, name: N): error is BackendErrors[N] {
  return error instanceof Error && error.name === name
}
