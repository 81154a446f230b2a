import { crc32 } from 'node:zlib'
import type { Entry } from '@keelson/storagebackend'

/**
 * An entry on disk; its key is LMDB's key. All numbers are big-endian.
 *
 *     offset  size  what
 *     0       1     0x4b. Never 1: lmdb takes values that start with 01 01 01 for instructions
 *     1       1     record version (1)
 *     2       2     zero
 *     4       4     CRC32 of the key and of everything behind this field
 *     8       8     create revision, as a double
 *     16      8     mod revision
 *     24      8     lease
 *     32            the value
 */
const magic = 0x4b
const version = 1
const checkedFrom = 8
export const recordHeader = 32

/** A stored record that is not what was written. */
export class DamagedStoreError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'DamagedStoreError'
  }
}

/** Writes the record at `at`; returns its end. */
export function writeRecord(out: Buffer, at: number, key: Uint8Array, entry: Entry): number {
  const end = at + recordHeader + entry.value.length
  out[at] = magic
  out[at + 1] = version
  out[at + 2] = out[at + 3] = 0
  out.writeDoubleBE(entry.createRevision, at + 8)
  out.writeDoubleBE(entry.modRevision, at + 16)
  out.writeDoubleBE(entry.lease, at + 24)
  out.set(entry.value, at + recordHeader)
  out.writeUInt32BE(crc32(out.subarray(at + checkedFrom, end), crc32(key)), at + 4)
  return end
}

/** Throws `DamagedStoreError` when a bit is not what it was. The entry's value is a view of `record`. */
export function readRecord(key: Uint8Array, record: Uint8Array): Entry {
  const bytes = asBuffer(record)
  const text = asBuffer(key).toString()
  const whole = bytes.length >= recordHeader && bytes[0] === magic && bytes[1] === version
  if (!whole || bytes.readUInt32BE(4) !== crc32(bytes.subarray(checkedFrom), crc32(key))) {
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

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/** Small ones as small integers: a number that came as a double would be an object of its own in every entry. */
function numberAt(bytes: Buffer, at: number): number {
  const number = bytes.readDoubleBE(at)
  const integer = number | 0
  return integer === number ? integer : number
}
