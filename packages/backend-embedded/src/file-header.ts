import { closeSync, fstatSync, openSync, readSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import { join } from 'node:path'
import { DamagedStoreError } from './entry-record.ts'

/**
 * The first two pages of LMDB's file describe the newest commits: commit number n is in page n % 2. They have no checksum. If the newer one is damaged,
 * LMDB silently uses the commit before it. These fields can be checked:
 *
 *     offset  size  contents                           (little-endian)
 *     24      4     0xbeefc0de
 *     48      4     page size
 *     136     8     the root page of the directory of tables
 *     152     8     number of the commit
 *
 * A page starts with its own number (8 bytes) and the number of the commit that wrote it (8 bytes). Each commit of this package changes a table, and
 * so writes a new root.
 */
const magicAt = 24
const pageSizeAt = 48
const rootAt = 136
const commitAt = 152
const headerBytes = 160
const noPage = 2n ** 64n - 1n

/** The identity of a data file's contents: its size, time and header pages. */
export interface FileHeader {
  readonly size: number
  readonly modified: number
  readonly pageSize: number
  /** The checksum of both pages. */
  readonly checksum: number
}

/** Reads both header pages. Returns undefined if the file does not exist yet. Throws `DamagedStoreError` if LMDB cannot have written the pages. */
export function readFileHeader(file: string): FileHeader | undefined {
  let handle: number
  try {
    handle = openSync(file, 'r')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  try {
    const { size, mtimeMs } = fstatSync(handle)
    if (size === 0) return undefined
    const read = (at: number, length: number): Buffer => {
      const bytes = Buffer.alloc(length)
      if (readSync(handle, bytes, 0, length, at) < length) throw damagedFile(file, 'it is truncated')
      return bytes
    }
    const first = read(0, headerBytes)
    const pageSize = first.readUInt32LE(pageSizeAt)
    if (pageSize < 256 || pageSize > 65536 || (pageSize & (pageSize - 1)) !== 0) throw damagedFile(file, 'its page size is invalid')
    const second = read(pageSize, headerBytes)
    for (const page of [first, second]) if (page.readUInt32LE(magicAt) !== 0xbeefc0de) throw damagedFile(file, 'its header is not LMDB’s')
    const commits = [first.readBigUInt64LE(commitAt), second.readBigUInt64LE(commitAt)] as const
    const newest = commits[0] > commits[1] ? 0 : 1
    const header = { size, modified: mtimeMs, pageSize, checksum: crc32(second, crc32(first)) }
    if (commits[0] === 0n && commits[1] === 0n) return header
    if (commits[newest] - commits[1 - newest]! !== 1n || commits[newest] % 2n !== BigInt(newest))
      throw damagedFile(file, `its last commits are ${commits[0]} and ${commits[1]}`)
    const root = [first, second][newest]!.readBigUInt64LE(rootAt)
    if (root === noPage) throw damagedFile(file, 'its root is missing')
    if (root < 2n || root * BigInt(pageSize) >= BigInt(size)) throw damagedFile(file, 'its root is outside of the file')
    const page = read(Number(root) * pageSize, 16)
    if (page.readBigUInt64LE(0) !== root || page.readBigUInt64LE(8) !== commits[newest])
      throw damagedFile(file, 'its root is not of its last commit')
    return header
  } finally {
    closeSync(handle)
  }
}

/** Creates the error for a damaged file. */
export function damagedFile(file: string, reason: string): DamagedStoreError {
  return new DamagedStoreError(`${file} is damaged (${reason}): restore the data directory`)
}

/**
 * The file that records the state of the data file at the last orderly close. Without it, or if the data file differs, the data file may be damaged.
 */
export const closeMarkFile = 'closed.json'

/** Writes the mark. Never throws: on a full disk there is no mark, and the next start makes more checks. */
export function leaveCloseMark(directory: string, header: FileHeader): void {
  const file = join(directory, closeMarkFile)
  try {
    writeFileSync(file, JSON.stringify(header), { mode: 0o600 })
  } catch {
    // The incomplete file is empty.
    rmSync(file, { force: true })
  }
}

/** Removes and returns the mark. If opening fails later, the next start makes more checks. */
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

/** Returns whether the mark belongs to a file with this header. */
export function isMarkOf(mark: string | undefined, header: FileHeader): boolean {
  return mark === JSON.stringify(header)
}
