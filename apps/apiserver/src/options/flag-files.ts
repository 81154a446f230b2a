import { readFile } from 'node:fs/promises'
import { StartError } from '../start-error.ts'
import type { Problems } from '../start-error.ts'

/** Reads a certificate and its key from the files in two flags. Either both flags or none must be set. */
export async function readFilePair(
  flags: Readonly<Record<string, string | undefined>>,
  problems: Problems,
): Promise<{ readonly certificateFile: string; readonly keyFile: string } | undefined> {
  const [[certificate, certificateValue] = [''], [key, keyValue] = ['']] = Object.entries(flags)
  if ((certificateValue === undefined) !== (keyValue === undefined)) {
    problems.usage(`--${certificate} and --${key} must be set together; one of them is missing`)
  }
  const certificateFile = await checkFlagFile(certificate, certificateValue, problems)
  const keyFile = await checkFlagFile(key, keyValue, problems)
  return certificateFile === undefined || keyFile === undefined ? undefined : { certificateFile, keyFile }
}

/** Calls `read` for each item. Errors are added to `problems`. */
export async function readEach<T, R>(items: readonly T[], read: (item: T) => R, problems: Problems): Promise<R[]> {
  const results: R[] = []
  for (const item of items) await problems.attempt(() => results.push(read(item)))
  return results
}

/** Returns the file of a flag. Adds an error to `problems` and returns undefined if the file cannot be read. */
export async function checkFlagFile(flag: string, file: string | undefined, problems: Problems): Promise<string | undefined> {
  const text = await problems.attempt(() => readText(flag, file))
  return text === undefined ? undefined : file
}

async function readText(flag: string, file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    throw createCannotReadError(flag, file, error)
  }
}

function createCannotReadError(flag: string, file: string, error: unknown): StartError {
  const { code, message } = error as NodeJS.ErrnoException
  const reason = { ENOENT: 'there is no such file', EACCES: 'it may not be read', EISDIR: 'it is a directory' }[code ?? ''] ?? message
  return new StartError(`--${flag}: cannot read ${file}: ${reason}`, { cause: error })
}
