import { isStorageError } from '../errors.ts'
import type { StorageErrorCode } from '../storage.ts'

/** The error of a failed call. Throws if the call succeeds. */
export async function failure(call: Promise<unknown>): Promise<unknown> {
  let value: unknown
  try {
    value = await call
  } catch (error) {
    return error
  }
  throw new Error(`expected a failure, got ${JSON.stringify(value)}`)
}

/** The code of a `StorageError`. Throws for any other error. */
export function codeOf(error: unknown): StorageErrorCode {
  if (isStorageError(error)) return error.code
  throw new Error(`not a StorageError: ${String(error)}`, { cause: error })
}
