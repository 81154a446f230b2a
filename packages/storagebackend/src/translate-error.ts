import { isBackendError } from './backend-errors.ts'
import { StorageError } from './errors.ts'

const unreachable = ['ReadOnlyError', 'StoppedError', 'UnavailableError', 'UnknownOutcomeError'] as const

/** Translates an error of a driver or codec into a `StorageError`. Returns other errors unchanged. */
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
