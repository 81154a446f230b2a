import { rename, rm, writeFile } from 'node:fs/promises'
import { randomBytes } from 'node:crypto'

/** Readers see the old file or the new one, never a part; the mode holds from the first byte on. */
export async function writeFileAtomically(file: string, content: string, mode: number): Promise<void> {
  const temporary = `${file}.${randomBytes(6).toString('hex')}.tmp`
  try {
    await writeFile(temporary, content, { mode, flag: 'wx' })
    await rename(temporary, file)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}
