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

/** The properties of a data file by which a change of its contents is detected: its size, time and header pages. */
export interface FileHeader {
  readonly size: number
  readonly modified: number
  readonly pageSize: number
  /** The checksum of both header pages. */
  readonly checksum: number
}

/**
 * Reads both header pages of a data file. Returns undefined if the file does not exist. Throws `DamagedStoreError` if LMDB cannot have
 * written these pages.
 */
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
      if (readSync(handle, bytes, 0, length, at) < length) throw newDamagedFileError(file, 'it is truncated')
      return bytes
    }
    const first = read(0, headerBytes)
    const pageSize = first.readUInt32LE(pageSizeAt)
    if (pageSize < 256 || pageSize > 65536 || (pageSize & (pageSize - 1)) !== 0) throw newDamagedFileError(file, 'its page size is invalid')
    const second = read(pageSize, headerBytes)
    for (const page of [first, second])
      if (page.readUInt32LE(magicAt) !== 0xbeefc0de) throw newDamagedFileError(file, 'its header is not LMDB’s')
    const commits = [first.readBigUInt64LE(commitAt), second.readBigUInt64LE(commitAt)] as const
    const newest = commits[0] > commits[1] ? 0 : 1
    const header = { size, modified: mtimeMs, pageSize, checksum: crc32(second, crc32(first)) }
    if (commits[0] === 0n && commits[1] === 0n) return header
    if (commits[newest] - commits[1 - newest]! !== 1n || commits[newest] % 2n !== BigInt(newest))
      throw newDamagedFileError(file, `its last commits are ${commits[0]} and ${commits[1]}`)
    const root = [first, second][newest]!.readBigUInt64LE(rootAt)
    if (root === noPage) throw newDamagedFileError(file, 'its root is missing')
    if (root < 2n || root * BigInt(pageSize) >= BigInt(size)) throw newDamagedFileError(file, 'its root is outside of the file')
    const page = read(Number(root) * pageSize, 16)
    if (page.readBigUInt64LE(0) !== root || page.readBigUInt64LE(8) !== commits[newest])
      throw newDamagedFileError(file, 'its root is not of its last commit')
    return header
  } finally {
    closeSync(handle)
  }
}

/** Creates the error for a damaged file. */
export function newDamagedFileError(file: string, reason: string): DamagedStoreError {
  return new DamagedStoreError(`${file} is damaged (${reason}): restore the data directory`)
}

/**
 * The file with the properties of the data file at the last orderly close. If this file is missing, or does not match the data file, the
 * data file may be damaged.
 */
export const closeMarkFile = 'closed.json'

/**
 * Writes the file that marks an orderly close. Never throws. If the disk is full, the file is missing, and the next start makes more
 * checks.
 */
export function writeCloseMark(directory: string, header: FileHeader): void {
  const file = join(directory, closeMarkFile)
  try {
    writeFileSync(file, JSON.stringify(header), { mode: 0o600 })
  } catch {
    // Remove the incomplete file. If that fails too, the file is empty and marks nothing.
    rmSync(file, { force: true })
  }
}

/** Returns the contents of the mark and deletes it. If opening then fails, the next start makes more checks. */
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

/** Returns whether the mark was written for a data file with this header. */
export function isMarkOf(mark: string | undefined, header: FileHeader): boolean {
  return mark === JSON.stringify(header)
}
