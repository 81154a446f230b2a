import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FileHeader } from './file-header.ts'

/** What the file was like when the store was last closed in order. Without it, or with another file, what is there is doubtful. */
export const closeMarkFile = 'closed.json'

/** Never fails: on a full disk there is no mark, and the next start is careful. */
export function leaveCloseMark(directory: string, header: FileHeader): void {
  const file = join(directory, closeMarkFile)
  try {
    writeFileSync(file, JSON.stringify(header), { mode: 0o600 })
  } catch {
    // What was made of it is empty.
    rmSync(file, { force: true })
  }
}

/** Takes the mark away: should opening end badly, the next one is careful. */
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
