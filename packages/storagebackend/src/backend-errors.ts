import type { Revision } from './backend.ts'

/** What a driver may throw. Recognised by name, for two copies of this package may be loaded. */
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

/** The revision asked for is older than what is kept. */
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

/** The revision asked for is not there yet. */
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

/** Nothing was written: there is no room. Reads go on. */
export class ReadOnlyError extends BackendError {
  override readonly name = 'ReadOnlyError'
  constructor(reason: string, options?: ErrorOptions) {
    super(`the store is read-only: ${reason}`, options)
  }
}

/** The store was closed, or a flush failed and it cannot say any more what is durable. */
export class StoppedError extends BackendError {
  override readonly name = 'StoppedError'
  /** Without a reason it was closed. */
  constructor(reason?: string, options?: ErrorOptions) {
    super(reason === undefined ? 'the store is closed' : `the store has stopped: ${reason}`, options)
  }
}

/** The store cannot be reached at present. Nothing was written. */
export class UnavailableError extends BackendError {
  override readonly name = 'UnavailableError'
}

/** The connection was lost between sending a write and its answer: it may or may not have happened. */
export class UnknownOutcomeError extends BackendError {
  override readonly name = 'UnknownOutcomeError'
}

/** A watch whose reader fell too far behind was ended, so that it is never served with a gap. */
export class SlowWatcherError extends BackendError {
  override readonly name = 'SlowWatcherError'
  constructor(message = 'the watch fell too far behind and was ended') {
    super(message)
  }
}

/** A put named a lease that does not exist, or no longer. */
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
