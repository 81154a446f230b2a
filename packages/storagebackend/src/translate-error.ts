import { isBackendError } from './backend-errors.ts'
import { StorageError } from './errors.ts'

const unreachable = ['ReadOnlyError', 'StoppedError', 'UnavailableError', 'UnknownOutcomeError'] as const

/** A driver's failure of a read or write, as object storage reports it. What it does not know stays what it is. */
export function translateBackendError(error: unknown, key: string): unknown {
  if (unreachable.some((name) => isBackendError(error, name))) {
    const { message } = error as Error
    return new StorageError({ code: 'Unreachable', key, message, cause: error })
  }
  if (error instanceof Error && error.name === 'CorruptObjectError') {
    return new StorageError({ code: 'Corrupt', key, message: error.message, cause: error })
  }
  return error
}
