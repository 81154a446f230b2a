import { isStorageError } from '../errors.ts'
import type { StorageErrorCode } from '../storage.ts'

/** Returns the error of a failed call. Throws if the call succeeds. */
export async function catchFailure(call: Promise<unknown>): Promise<unknown> {
  let value: unknown
  try {
    value = await call
  } catch (error) {
    return error
  }
  throw new Error(`expected an error, got ${JSON.stringify(value)}`)
}

/** Returns the code of a `StorageError`. Throws for any other error. */
export function getErrorCode(error: unknown): StorageErrorCode {
  if (isStorageError(error)) return error.code
  throw new Error(`expected a StorageError, got ${String(error)}`, { cause: error })
}
