import { NotWrittenError } from './durability.ts'

/** The numbers with which LMDB says that there is no room: MDB_MAP_FULL, ENOSPC, EFBIG, EDQUOT. */
const noRoom: ReadonlySet<unknown> = new Set([-30792, 28, 27, 122])

/** LMDB's failed commit. Its reason hangs on the rejected promise as a promise. With no room the transaction was aborted as a whole. */
export async function translateWriteError(error: unknown): Promise<Error> {
  const failure = error instanceof Error ? error : new Error(String(error))
  const { commitError } = failure as { commitError?: Promise<unknown> }
  const reason = commitError === undefined ? failure : await commitError.then(() => failure, asError)
  return noRoom.has((reason as { code?: unknown }).code) ? new NotWrittenError(reason.message, { cause: reason }) : reason
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}
