import { NotWrittenError } from './durability.ts'

/** LMDB's error numbers for lack of space: MDB_MAP_FULL, ENOSPC, EFBIG and EDQUOT. */
const outOfSpace: ReadonlySet<unknown> = new Set([-30792, 28, 27, 122])

/**
 * Translates the error of a failed commit. LMDB attaches the reason to the error as a promise. Lack of space becomes a `NotWrittenError`,
 * because the whole transaction was aborted.
 */
export async function translateWriteError(error: unknown): Promise<Error> {
  const failure = error instanceof Error ? error : new Error(String(error))
  const { commitError } = failure as { commitError?: Promise<unknown> }
  const reason = commitError === undefined ? failure : await commitError.then(() => failure, toError)
  return outOfSpace.has((reason as { code?: unknown }).code) ? new NotWrittenError(reason.message, { cause: reason }) : reason
}

/**
 * LMDB's error numbers for damage: MDB_PAGE_NOTFOUND, MDB_CORRUPTED, MDB_PANIC, MDB_VERSION_MISMATCH, MDB_INVALID, MDB_INCOMPATIBLE and
 * MDB_BAD_TXN.
 */
const damage: ReadonlySet<unknown> = new Set([-30797, -30796, -30795, -30794, -30793, -30784, -30782])

/** Returns true if LMDB's error means that the files are damaged. */
export function isDamage(error: unknown): error is Error {
  return error instanceof Error && damage.has((error as { code?: unknown }).code)
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}
