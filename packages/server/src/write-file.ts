import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { lstat, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'

/**
 * Replaces a file atomically: readers see either the old or the new content. The file is created with `mode`. Missing directories are
 * created so that only their owner can access them. An identical file is not rewritten, so that a server can restart on a full disk.
 */
export async function writeFileAtomically(file: string, content: string, mode: number): Promise<void> {
  if (await isUnchanged(file, content, mode)) return
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

async function isUnchanged(file: string, content: string, mode: number): Promise<boolean> {
  try {
    const stats = await lstat(file)
    return stats.isFile() && (stats.mode & 0o777) === mode && (await readFile(file, 'utf8')) === content
  } catch {
    return false
  }
}

/** Creates directories one by one. Node's recursive option never returns where no directory can be created, as in /proc. */
async function makeDirectory(directory: string): Promise<void> {
  if (existsSync(directory)) return
  await makeDirectory(path.dirname(directory))
  try {
    await mkdir(directory, { mode: 0o700 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !existsSync(directory)) throw error
  }
}
