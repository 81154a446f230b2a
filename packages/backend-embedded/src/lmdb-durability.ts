import { mkdirSync, realpathSync, statfsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { open, type Database, type RootDatabase } from 'lmdb'
import type { Entry } from '@keelson/storagebackend'
import { NotWrittenError, type Durability, type LoadedState, type WriteBatch } from './durability.ts'
import { DamagedStoreError, readRecord, recordHeader, writeRecord } from './entry-record.ts'
import { isAlive, LockedError, thisProcess, type Holder } from './holder.ts'
import type { Lease } from './leases.ts'
import { SlabReader } from './slab-reader.ts'
import { translateWriteError } from './translate-error.ts'

/** Goes up when an older version of this package could not read the directory. */
const format = 1
const initialRevision = 1

const formatKey = Buffer.from('format')
const revisionKey = Buffer.from('revision')
const holderKey = Buffer.from('holder')

/** Directories open in this process: LMDB must not open one twice. */
const openHere = new Set<string>()

/** Room that puts leave on the disk, and that deletes may use three quarters of: to make room one must be able to write. */
const reserve = 16 * 2 ** 20

export interface LmdbOptions {
  /** Bytes that may still be written to the directory's disk. */
  readonly freeBytes?: (directory: string) => number
}

type Table = Database<Uint8Array, Uint8Array>

/**
 * LMDB as the disk under the store. It is read once, when opening; after that it only gets batches, each one transaction.
 *
 * `overlappingSync` is off, so that a commit is LMDB's own: pages, fdatasync, then the meta page, synchronously. It costs nothing here,
 * for there is one flush at a time anyway, and a failed flush is a rejected commit instead of a promise that never settles.
 */
export class LmdbDurability implements Durability {
  readonly #directory: string
  readonly #root: RootDatabase<Uint8Array, Uint8Array>
  readonly #entries: Table
  readonly #leases: Table
  readonly #meta: Table
  readonly #freeBytes: (directory: string) => number
  #failed: Error | undefined

  private constructor(directory: string, root: RootDatabase<Uint8Array, Uint8Array>, options: LmdbOptions) {
    this.#directory = directory
    this.#freeBytes = options.freeBytes ?? freeBytes
    this.#root = root
    this.#entries = root.openDB<Uint8Array, Uint8Array>({ name: 'entries', keyEncoding: 'binary', encoder: new SlabReader() } as object as {
      name: string
    })
    this.#leases = table(root, 'leases')
    this.#meta = table(root, 'meta')
  }

  /** Throws `LockedError` when a living process has it open, and an error that says so when its format is another. */
  static async open(dataDir: string, options: LmdbOptions = {}): Promise<LmdbDurability> {
    // The store holds secrets.
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    const directory = realpathSync(dataDir)
    if (openHere.has(directory)) throw new LockedError(dataDir, process.pid)
    openHere.add(directory)
    let root: RootDatabase<Uint8Array, Uint8Array> | undefined
    try {
      root = open<Uint8Array, Uint8Array>({
        path: directory,
        noSubdir: false,
        encoding: 'binary',
        keyEncoding: 'binary',
        maxDbs: 3,
        // Address space, not memory or disk; it grows by itself.
        mapSize: 2 ** 30,
        commitDelay: 0,
        overlappingSync: false,
        // Every write is an explicit batch; without this a failed one also rejects a promise that nobody holds.
        eventTurnBatching: false,
      })
      const durability = new LmdbDurability(directory, root, options)
      durability.#take(dataDir)
      return durability
    } catch (error) {
      openHere.delete(directory)
      await root?.close()
      throw error
    }
  }

  load(): LoadedState {
    const revision = this.#readRevision()
    return { revision, entries: this.#readEntries(revision), leases: this.#readLeases() }
  }

  async write(batch: WriteBatch): Promise<void> {
    const puts = Array.from(batch.puts, (entry) => ({ entry, key: Buffer.from(entry.key) }))
    let size = 0
    for (const { entry } of puts) size += recordHeader + entry.value.length
    this.#requireRoom(size)
    // One buffer for all records: LMDB asks for the address of each buffer it sees.
    const records = Buffer.allocUnsafeSlow(size)
    try {
      const committed = this.#root.batch(() => {
        let at = 0
        for (const { entry, key } of puts) {
          const end = writeRecord(records, at, key, entry)
          void this.#entries.put(key, records.subarray(at, end))
          at = end
        }
        for (const key of batch.deletes) void this.#entries.remove(Buffer.from(key))
        for (const lease of batch.leases) void this.#leases.put(numberBytes(lease.id), checked(numberBytes(lease.expiresAt)))
        for (const id of batch.endedLeases) void this.#leases.remove(numberBytes(id))
        void this.#meta.put(revisionKey, checked(numberBytes(batch.revision)))
      })
      await Promise.all([committed, this.#root.flushed])
    } catch (error) {
      this.#failed = await translateWriteError(error)
      throw this.#failed
    }
  }

  async size(): Promise<number> {
    const { blocks } = await stat(join(this.#directory, 'data.mdb'))
    return blocks * 512
  }

  async close(): Promise<void> {
    openHere.delete(this.#directory)
    // After a failed commit LMDB's memory is not to be trusted, closing included. The holder is told from a living one by its process.
    if (this.#failed) return
    try {
      this.#meta.removeSync(holderKey)
    } finally {
      await this.#root.close()
    }
  }

  /**
   * Looks before it leaps: a commit that LMDB has to abort for want of room leaves its memory damaged (seen: the process dies later of a
   * corrupted heap). So there is room when LMDB is asked, and should a commit fail all the same, LMDB is not asked again.
   */
  #requireRoom(size: number): void {
    if (this.#failed) throw new NotWrittenError(`${this.#failed.message}; open the store again when there is room`, { cause: this.#failed })
    // Every changed page is written anew, with those above it.
    if (this.#freeBytes(this.#directory) < (size > 0 ? reserve + size * 2 : reserve / 4))
      throw new NotWrittenError('no space left on device')
  }

  /** LMDB lets one process write at a time, so reading who holds the directory and entering oneself are one step. */
  #take(dataDir: string): void {
    this.#root.transactionSync(() => {
      const holder = this.#readJson<Holder>(holderKey)
      if (holder && isAlive(holder)) throw new LockedError(dataDir, holder.pid)
      const written = this.#readJson<{ format: number }>(formatKey)
      if (written && written.format !== format) {
        throw new Error(`${dataDir} is in format ${written.format}; this version reads and writes format ${format}`)
      }
      if (!written) this.#meta.putSync(formatKey, Buffer.from(JSON.stringify({ format })))
      this.#meta.putSync(holderKey, Buffer.from(JSON.stringify(thisProcess())))
    })
  }

  #readJson<R>(key: Uint8Array): R | undefined {
    const bytes = this.#meta.getBinary(key)
    return bytes && (JSON.parse(bytes.toString()) as R)
  }

  #readRevision(): number {
    const bytes = this.#meta.getBinary(revisionKey)
    return bytes ? uncheck(bytes, 'revision') : initialRevision
  }

  *#readEntries(revision: number): Generator<Entry> {
    for (const { key, value } of this.#entries.getRange()) {
      const entry = readRecord(key, value)
      if (entry.modRevision > revision) {
        throw new DamagedStoreError(`the stored record of ${JSON.stringify(entry.key)} is newer than the store: restore the data directory`)
      }
      yield entry
    }
  }

  #readLeases(): Lease[] {
    return Array.from(this.#leases.getRange(), ({ key, value }) => ({
      id: Buffer.from(key).readDoubleBE(0),
      expiresAt: uncheck(Buffer.from(value), 'lease'),
    }))
  }
}

function freeBytes(directory: string): number {
  const { bavail, blocks, bsize } = statfsSync(directory)
  // Some file systems do not say.
  return blocks === 0 ? Infinity : bavail * bsize
}

function table(root: RootDatabase<Uint8Array, Uint8Array>, name: string): Table {
  return root.openDB<Uint8Array, Uint8Array>({ name, encoding: 'binary', keyEncoding: 'binary' })
}

function numberBytes(value: number): Buffer {
  const out = Buffer.alloc(8)
  out.writeDoubleBE(value)
  return out
}

/** Behind a byte that is never 1 (see the entry's record), with a CRC32. */
function checked(bytes: Buffer): Buffer {
  const out = Buffer.alloc(13)
  out[0] = 0x4b
  out.writeUInt32BE(crc32(bytes), 1)
  out.set(bytes, 5)
  return out
}

function uncheck(bytes: Buffer, what: string): number {
  if (bytes.length !== 13 || bytes.readUInt32BE(1) !== crc32(bytes.subarray(5))) {
    throw new DamagedStoreError(`the stored ${what} is damaged (its checksum does not match): restore the data directory`)
  }
  return bytes.readDoubleBE(5)
}
