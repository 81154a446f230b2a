import { NotWrittenError } from './durability.ts'

/** LMDB's error numbers for lack of space: MDB_MAP_FULL, ENOSPC, EFBIG, EDQUOT. */
const outOfSpace: ReadonlySet<unknown> = new Set([-30792, 28, 27, 122])

/**
 * Translates the error of a failed commit. LMDB attaches the reason to the error as a promise. For lack of space the whole transaction was aborted.
 */
export async function translateWriteError(error: unknown): Promise<Error> {
  const failure = error instanceof Error ? error : new Error(String(error))
  const { commitError } = failure as { commitError?: Promise<unknown> }
  const reason = commitError === undefined ? failure : await commitError.then(() => failure, asError)
  return outOfSpace.has((reason as { code?: unknown }).code) ? new NotWrittenError(reason.message, { cause: reason }) : reason
}

/** MDB_PAGE_NOTFOUND, MDB_CORRUPTED, MDB_PANIC, MDB_VERSION_MISMATCH, MDB_INVALID, MDB_INCOMPATIBLE, MDB_BAD_TXN. */
const damage: ReadonlySet<unknown> = new Set([-30797, -30796, -30795, -30794, -30793, -30784, -30782])

/** Returns whether LMDB reports damaged files. */
export function isDamage(error: unknown): error is Error {
  return error instanceof Error && damage.has((error as { code?: unknown }).code)
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}
