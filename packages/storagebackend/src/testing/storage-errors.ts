import { isStorageError } from '../errors.ts'
import type { StorageErrorCode } from '../storage.ts'

/** What a call failed with; a call that succeeds is an error here. */
export async function failure(call: Promise<unknown>): Promise<unknown> {
  let value: unknown
  try {
    value = await call
  } catch (error) {
    return error
  }
  throw new Error(`it should have failed, and gave ${JSON.stringify(value)}`)
}

/** A storage fails with nothing but a `StorageError`. */
export function codeOf(error: unknown): StorageErrorCode {
  if (isStorageError(error)) return error.code
  throw new Error(`not a StorageError: ${String(error)}`, { cause: error })
}
