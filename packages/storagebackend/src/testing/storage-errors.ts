import { isStorageError } from '../errors.ts'

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

/** "KeyExists" for a StorageError, the reason for an ApiError: a cache may give either for what it found out itself. */
export function codeOf(error: unknown): string {
  if (isStorageError(error)) return error.code
  const { reason, status } = error as { reason?: unknown; status?: { details?: { causes?: { reason?: string }[] } } }
  if (typeof reason !== 'string') return `unknown error: ${String(error)}`
  if (status?.details?.causes?.some((cause) => cause.reason === 'ResourceVersionTooLarge')) return 'ResourceVersionTooLarge'
  return reason === 'Expired' ? 'ResourceVersionTooOld' : reason
}
