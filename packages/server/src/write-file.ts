import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'

/** Readers see the old file or the new one, never a part; the mode holds from the first byte on. Directories that are missing are made, for their owner. */
export async function writeFileAtomically(file: string, content: string, mode: number): Promise<void> {
  const temporary = `${file}.${randomBytes(6).toString('hex')}.tmp`
  await makeDirectory(path.dirname(path.resolve(file)))
  try {
    await writeFile(temporary, content, { mode, flag: 'wx' })
    await rename(temporary, file)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}

/** Step by step: where nothing can be made, as in /proc, the recursion that Node offers never ends. */
async function makeDirectory(directory: string): Promise<void> {
  if (existsSync(directory)) return
  await makeDirectory(path.dirname(directory))
  try {
    await mkdir(directory, { mode: 0o700 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !existsSync(directory)) throw error
  }
}
