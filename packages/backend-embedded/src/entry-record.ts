import { crc32 } from 'node:zlib'
import type { Entry, LeaseId } from '@keelson/storagebackend'

/**
 * The encoding of an entry on disk. The entry's key is LMDB's key. All numbers are big-endian.
 *
 *     offset  size  contents
 *     0       1     0x4b. Never 1: lmdb interprets values that start with 01 01 01
 *     1       1     record version (1)
 *     2       2     zero
 *     4       4     CRC32 of the key and of everything after this field
 *     8       8     create revision, as a double
 *     16      8     mod revision
 *     24      8     lease
 *     32            the value
 */
const magic = 0x4b
const version = 1
const checkedFrom = 8
const recordHeader = 32

/** The error if the files of a store are damaged. */
export class DamagedStoreError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'DamagedStoreError'
  }
}

/** Returns the buffer size that is needed to write a record. */
export function recordRoom(key: Uint8Array, entry: Entry): number {
  return key.length + recordHeader + entry.value.length
}

/** Writes the record to `out`, starting at `at` plus the length of the key. Returns the end of the record. */
export function writeRecord(out: Buffer, at: number, key: Uint8Array, entry: Entry): number {
  const start = at + key.length
  const end = start + recordHeader + entry.value.length
  // The checksum covers the key and needs contiguous memory, so the key is written before the fields.
  out.set(key, at + checkedFrom)
  out.writeDoubleBE(entry.createRevision, start + 8)
  out.writeDoubleBE(entry.modRevision, start + 16)
  out.writeDoubleBE(entry.lease, start + 24)
  out.set(entry.value, start + recordHeader)
  const checksum = crc32(out.subarray(at + checkedFrom, end))
  out[start] = magic
  out[start + 1] = version
  out[start + 2] = out[start + 3] = 0
  out.writeUInt32BE(checksum, start + 4)
  return end
}

/** Decodes a record. Throws `DamagedStoreError` if its checksum does not match. The value of the entry shares memory with `record`. */
export function readRecord(key: Uint8Array, record: Uint8Array): Entry {
  const bytes = toBuffer(record)
  const text = toBuffer(key).toString()
  const isComplete = bytes.length >= recordHeader && bytes[0] === magic && bytes[1] === version
  if (!isComplete || bytes.readUInt32BE(4) !== crc32(bytes.subarray(checkedFrom), crc32(key))) {
    throw new DamagedStoreError(
      `the stored record of ${JSON.stringify(text)} is damaged (its checksum does not match): restore the data directory`,
    )
  }
  return {
    key: text,
    value: bytes.subarray(recordHeader),
    createRevision: numberAt(bytes, 8),
    modRevision: numberAt(bytes, 16),
    lease: numberAt(bytes, 24),
    view: undefined,
  }
}

function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/**
 * Reads a number that is stored as a double. Small numbers are converted to small integers, because a double would be a separate object in
 * every entry.
 */
function numberAt(bytes: Buffer, at: number): number {
  const number = bytes.readDoubleBE(at)
  const integer = number | 0
  return integer === number ? integer : number
}

/**
 * The number of all stored records and the sum of their revisions. Every batch updates them. A checksum proves that a single record is
 * intact. The totals prove that no record is missing or outdated, for example because a page number was damaged.
 */
export class StoreTotals {
  #entries = 0
  /** The sum of the revisions of all entries, modulo 2^52. */
  #revisions = 0
  readonly #leases = new Set<LeaseId>()

  add(entry: Entry): void {
    this.#entries++
    this.#revisions = (this.#revisions + entry.modRevision) % 2 ** 52
  }
  remove(entry: Entry): void {
    this.#entries--
    this.#revisions = (this.#revisions - entry.modRevision + 2 ** 52) % 2 ** 52
  }
  addLease(id: LeaseId): void {
    this.#leases.add(id)
  }
  removeLease(id: LeaseId): void {
    this.#leases.delete(id)
  }

  get numbers(): readonly number[] {
    let leases = 0
    for (const id of this.#leases) leases += id
    return [this.#entries, this.#revisions, this.#leases.size, leases]
  }
}

const slabBytes = 64 * 1024
const minSeparateBytes = slabBytes / 4

/**
 * Copies values out of LMDB's buffer, which LMDB reuses. Small values share larger blocks of memory, because allocating an ArrayBuffer for
 * each record would take most of the time of opening a large store. The blocks are small, so that a few long-lived values keep little
 * memory in use.
 */
export class SlabReader {
  #slab: Buffer = Buffer.alloc(0)
  #used = 0

  encode(value: Uint8Array): Uint8Array {
    return value
  }

  decode(volatile: Uint8Array, size: number): Uint8Array {
    if (size >= minSeparateBytes) return Uint8Array.prototype.slice.call(volatile, 0, size)
    if (this.#used + size > this.#slab.length) {
      this.#slab = Buffer.allocUnsafeSlow(slabBytes)
      this.#used = 0
    }
    const start = this.#used
    this.#used += size
    // lmdb overrides `volatile.length`. Methods of Buffer may use that length, but methods of Uint8Array use the real length.
    this.#slab.set(Uint8Array.prototype.subarray.call(volatile, 0, size), start)
    return this.#slab.subarray(start, this.#used)
  }
}
