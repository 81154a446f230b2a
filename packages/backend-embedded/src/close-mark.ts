import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FileHeader } from './file-header.ts'

/** The state of the file after the last orderly close. Without a mark, or with a different file, the file may be damaged. */
export const closeMarkFile = 'closed.json'

/** Never fails: on a full disk there is no mark, and the next start checks more. */
export function leaveCloseMark(directory: string, header: FileHeader): void {
  const file = join(directory, closeMarkFile)
  try {
    writeFileSync(file, JSON.stringify(header), { mode: 0o600 })
  } catch {
    // The new file is empty.
    rmSync(file, { force: true })
  }
}

/** Removes and returns the mark: if opening fails, the next start checks more. */
export function takeCloseMark(directory: string): string | undefined {
  const file = join(directory, closeMarkFile)
  try {
    const mark = readFileSync(file, 'utf8')
    rmSync(file)
    return mark
  } catch {
    return undefined
  }
}

export function isMarkOf(mark: string | undefined, header: FileHeader): boolean {
  return mark === JSON.stringify(header)
}
