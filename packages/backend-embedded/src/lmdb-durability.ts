import { existsSync, mkdirSync, realpathSync, statfsSync, statSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { crc32 } from 'node:zlib'
import { open } from 'lmdb'
import type { Database, RootDatabase, RootDatabaseOptionsWithPath } from 'lmdb'
import type { Entry } from '@keelson/storagebackend'
import { StoreTotals, DamagedStoreError, readRecord, recordRoom, writeRecord, SlabReader } from './entry-record.ts'
import { isMarkOf, writeCloseMark, takeCloseMark, readFileHeader } from './file-header.ts'
import { DataFile, ownerOnly } from './data-file.ts'
import { NotWrittenError, UnusableStoreError } from './durability.ts'
import type { Durability, LoadedState, WriteBatch } from './durability.ts'
import { writeLockOwner } from './lock-owner.ts'
import type { Lease } from './leases.ts'
import { auditPages } from './page-audit.ts'
import { isDamage, translateWriteError } from './translate-error.ts'
import { tryToOpen } from './trial-open.ts'

/** The version of the file format. Increase it when older versions of this package cannot read the files. */
const format = 1
const initialRevision = 1

const formatKey = Buffer.from('format')
const revisionKey = Buffer.from('revision')

/**
 * The data files of stores that failed in this process, with the reason. LMDB still has these files open, and a second store on such a file
 * would share its memory.
 */
const abandoned = new Map<string, Error>()

/**
 * The disk space, in bytes, that puts leave free. Deletes may use three quarters of it, because only deletes can free space in a full
 * store.
 */
const reservedBytes = 16 * 2 ** 20
/**
 * If at least this many bytes are free, free space is checked only every 100 ms. Nothing can write a quarter of that much between two
 * checks.
 */
const plentyOfSpace = 2 ** 30
const spaceCheckInterval = 100

/** The maximum size of a batch that uses the shared buffer, in bytes. */
const sharedBufferBytes = 256 * 1024

export interface LmdbOptions {
  /** Returns the free space in bytes on the disk of the directory. Default: asks the file system. */
  readonly freeBytes?: (directory: string) => number
  /** Logs messages for operators while the store runs. Default: messages are dropped. */
  readonly log?: (level: number, text: string, fields?: Readonly<Record<string, unknown>>) => void
}

type Table = Database<Uint8Array, Uint8Array>

interface Tables {
  readonly root: RootDatabase<Uint8Array, Uint8Array>
  readonly entries: Table
  readonly leases: Table
  readonly meta: Table
}

/**
 * Stores entries on disk with LMDB. The entries are read once, when the store is opened. After that, each batch is written as one
 * transaction. `overlappingSync` is off, so that LMDB itself commits synchronously: it writes the pages, calls fdatasync, and then writes
 * the meta page. That is not slower here, since only one flush runs at a time. A failed flush then rejects the commit. With
 * `overlappingSync` it would leave a promise that never settles.
 */
export class LmdbDurability implements Durability {
  readonly #directory: string
  readonly #file: DataFile
  #tables: Tables
  readonly #freeBytes: (directory: string) => number
  readonly #log: LmdbOptions['log']
  readonly #totals = new StoreTotals()
  /** The number of bytes that may be written before free space must be checked again, and the time when it must be checked again. */
  #spaceCheck = { bytes: 0, until: 0 }
  #isFull = false
  #records = Buffer.alloc(0)
  /** Whether all records were read and are correct. Only then is the close mark written. */
  #isIntact = false
  #failed: Error | undefined

  private constructor(directory: string, file: DataFile, tables: Tables, options: LmdbOptions) {
    this.#directory = directory
    this.#file = file
    this.#freeBytes = options.freeBytes ?? freeBytes
    this.#log = options.log
    this.#tables = tables
  }

  /**
   * Opens the files in a data directory. Throws `LockedError` if another store has them open, `DamagedStoreError` if they are damaged, and
   * `UnusableStoreError` if their format is unknown.
   */
  static async open(dataDir: string, options: LmdbOptions = {}): Promise<LmdbDurability> {
    // The directory is created with access only for its owner, because the store contains secrets.
    makeDirectory(resolve(dataDir))
    const directory = realpathSync(dataDir)
    // Lock the file before reading it, because another store may have it open.
    const file = await DataFile.take(directory, dataDir)
    warnIfAccessible(directory, dataDir, options.log)
    let tables: Tables | undefined
    try {
      requireNotAbandoned(file, dataDir)
      await requireIntact(directory, file.path)
      tables = openTables(directory)
      const durability = new LmdbDurability(directory, file, tables, options)
      durability.#requireFormat(dataDir)
      writeLockOwner(directory)
      return durability
    } catch (error) {
      await tables?.root.close()
      file.release()
      throw isDamage(error)
        ? new DamagedStoreError(`the files in ${dataDir} are damaged (${error.message}): restore the data directory`, { cause: error })
        : error
    }
  }

  load(): LoadedState {
    const [revision, ...totals] = this.#readRevision()
    return { revision, leases: this.#readLeases(), entries: this.#readEntries(revision, totals) }
  }

  /**
   * Closes LMDB's file and opens it again, which unmaps the pages that `load` has read. Otherwise these pages count as memory of this
   * process until the system reclaims them. Call it after `load` and before the first `write`. The lock is kept, because it uses another
   * file handle.
   */
  async unmap(): Promise<void> {
    await this.#tables.root.close()
    try {
      this.#tables = openTables(this.#directory)
    } catch (error) {
      this.#failed = error as Error
      throw error
    }
  }

  async write(batch: WriteBatch): Promise<void> {
    const { puts } = batch
    const keys: Buffer[] = []
    let size = 0
    for (const entry of puts) {
      const key = Buffer.from(entry.key)
      keys.push(key)
      size += recordRoom(key, entry)
    }
    this.#requireSpace(size)
    for (const entry of batch.replaced) this.#totals.remove(entry)
    for (const entry of puts) this.#totals.add(entry)
    for (const lease of batch.leases) this.#totals.addLease(lease.id)
    for (const id of batch.endedLeases) this.#totals.removeLease(id)
    const records = this.#getBuffer(size)
    try {
      // LMDB would crash on a truncated file, so check the file first.
      this.#file.requireInPlace()
      const committed = this.#tables.root.batch(() => {
        const { entries } = this.#tables
        let at = 0
        for (let i = 0; i < puts.length; i++) {
          const key = keys[i]!
          const end = writeRecord(records, at, key, puts[i]!)
          void entries.put(key, records.subarray(at + key.length, end))
          at = end
        }
        for (const key of batch.deletes) void this.#tables.entries.remove(Buffer.from(key))
        for (const lease of batch.leases) void this.#tables.leases.put(numberBytes(lease.id), addChecksum(numberBytes(lease.expiresAt)))
        for (const id of batch.endedLeases) void this.#tables.leases.remove(numberBytes(id))
        void this.#tables.meta.put(revisionKey, addChecksum(numberBytes(batch.revision, ...this.#totals.numbers)))
      })
      // LMDB starts a transaction at the end of the turn, or when more than `txnStartThreshold` operations wait. Here it starts at once.
      const started = this.#tables.root.batch(() => undefined)
      await Promise.all([committed, started, this.#tables.root.flushed])
      // Check the file again, because a write to a deleted file is not durable.
      this.#file.requireInPlace()
    } catch (error) {
      this.#failed = await translateWriteError(error)
      throw this.#failed
    }
  }

  checkHealth(): void {
    this.#file.requireInPlace()
  }

  async size(): Promise<number> {
    const { blocks } = await stat(this.#file.path)
    return blocks * 512
  }

  async close(): Promise<void> {
    try {
      // After a failed commit, LMDB's memory may be corrupted, so that even closing LMDB may crash.
      if (this.#failed) {
        abandoned.set(this.#file.identity, this.#failed)
        return
      }
      await this.#tables.root.close()
      if (this.#isIntact) writeCloseMark(this.#directory, readFileHeader(this.#file.path)!)
    } finally {
      this.#file.release()
    }
  }

  /**
   * Checks the free space before a commit. If LMDB aborts a commit for lack of space, it corrupts its memory, and the process may crash
   * later. If a commit fails nevertheless, LMDB is not used again.
   */
  #requireSpace(size: number): void {
    if (this.#failed)
      throw new NotWrittenError(`${this.#failed.message}; open the store again when there is space`, { cause: this.#failed })
    // LMDB also writes the pages above each changed page in the tree, so a batch needs more space than its size.
    const written = size * 2
    const now = performance.now()
    if (written < this.#spaceCheck.bytes && now < this.#spaceCheck.until) {
      this.#spaceCheck.bytes -= written
      return
    }
    const free = this.#freeBytes(this.#directory)
    const isFull = free < (size > 0 ? reservedBytes + written : reservedBytes / 4)
    if (size > 0) this.#noteFull(isFull, free)
    if (isFull) throw new NotWrittenError('no space left on device')
    this.#spaceCheck = { bytes: free < plentyOfSpace ? 0 : free / 4, until: now + spaceCheckInterval }
  }

  /** Logs that the disk has become full, or has space again. The health check does not fail, because reads still work. */
  #noteFull(isFull: boolean, free: number): void {
    if (isFull === this.#isFull) return
    this.#isFull = isFull
    this.#log?.(0, isFull ? 'Refusing writes: the disk is full' : 'Accepting writes again: the disk has space', {
      dataDir: this.#directory,
      free: formatMebibytes(free),
      kept: formatMebibytes(reservedBytes),
    })
  }

  /**
   * Returns one buffer that all records and batches share, because LMDB must look up the address of every new buffer. Sharing is safe
   * because only one batch is written at a time.
   */
  #getBuffer(size: number): Buffer {
    if (size > sharedBufferBytes) return Buffer.allocUnsafeSlow(size)
    if (size > this.#records.length) this.#records = Buffer.allocUnsafeSlow(Math.min(sharedBufferBytes, size * 4))
    return this.#records
  }

  #requireFormat(dataDir: string): void {
    const written = this.#readJson<{ format: unknown } | null>(formatKey)
    if (written === undefined && this.#tables.meta.getBinary(revisionKey) === undefined) {
      this.#tables.meta.putSync(formatKey, Buffer.from(JSON.stringify({ format })))
    } else if (typeof written?.format !== 'number') {
      throw new DamagedStoreError(`the stored format is ${JSON.stringify(written)}, not a number: restore the data directory`)
    } else if (written.format !== format) {
      throw new UnusableStoreError(`${dataDir} is in format ${written.format}; this version reads and writes format ${format}`)
    }
  }

  #readJson<R>(key: Uint8Array): R | undefined {
    const bytes = this.#tables.meta.getBinary(key)
    try {
      return bytes && (JSON.parse(bytes.toString()) as R)
    } catch (error) {
      throw new DamagedStoreError(`the stored ${Buffer.from(key).toString()} is damaged: restore the data directory`, { cause: error })
    }
  }

  /** Reads the revision of the last commit, and the totals of its records. */
  #readRevision(): readonly [number, ...number[]] {
    const bytes = this.#tables.meta.getBinary(revisionKey)
    return bytes ? verifyChecksum(bytes, 'revision', 5) : [initialRevision, ...new StoreTotals().numbers]
  }

  *#readEntries(revision: number, totals: readonly number[]): Generator<Entry> {
    const createDamagedError = (subject: string): Error => new DamagedStoreError(`the stored ${subject}: restore the data directory`)
    let last: Uint8Array | undefined
    for (const { key, value } of this.#tables.entries.getRange()) {
      const entry = readRecord(key, value)
      if (entry.modRevision > revision) throw createDamagedError(`record of ${JSON.stringify(entry.key)} is newer than the store`)
      if (last && Buffer.compare(last, key) >= 0) throw createDamagedError(`record of ${JSON.stringify(entry.key)} is not in its place`)
      last = key
      this.#totals.add(entry)
      yield entry
    }
    if (this.#totals.numbers.some((number, i) => number !== totals[i])) throw createDamagedError('records are not those of the last commit')
    this.#isIntact = true
  }

  #readLeases(): Lease[] {
    return Array.from(this.#tables.leases.getRange(), ({ key, value }) => {
      const lease = { id: Buffer.from(key).readDoubleBE(0), expiresAt: verifyChecksum(Buffer.from(value), 'lease', 1)[0] }
      this.#totals.addLease(lease.id)
      return lease
    })
  }
}

function requireNotAbandoned({ identity }: DataFile, dataDir: string): void {
  const cause = abandoned.get(identity)
  if (cause)
    throw new UnusableStoreError(`the store in ${dataDir} failed in this process (${cause.message}): open it in another process`, { cause })
}

function openTables(directory: string): Tables {
  const root = open<Uint8Array, Uint8Array>({
    path: directory,
    noSubdir: false,
    encoding: 'binary',
    keyEncoding: 'binary',
    maxDbs: 3,
    permissionsMode: ownerOnly,
    // LMDB reserves address space, not memory or disk space. The size grows automatically.
    mapSize: 2 ** 30,
    commitDelay: 0,
    overlappingSync: false,
    // Every write is an explicit batch. With batching by event turns, a failed batch would also reject a promise that nothing handles.
    eventTurnBatching: false,
    // Makes a transaction start at once, see `write`.
    txnStartThreshold: 1,
  } as RootDatabaseOptionsWithPath)
  const entries = { name: 'entries', keyEncoding: 'binary', encoder: new SlabReader() } as object as { name: string }
  return { root, entries: root.openDB<Uint8Array, Uint8Array>(entries), leases: openTable(root, 'leases'), meta: openTable(root, 'meta') }
}

/**
 * Checks the files for damage. Audits all pages. If the data file was not closed in order, or has changed since then, a separate process
 * opens it first.
 */
async function requireIntact(directory: string, file: string): Promise<void> {
  const closeMark = takeCloseMark(directory)
  const header = readFileHeader(file)
  if (!header) return
  // Both checks run at the same time to shorten the start. If both fail, the audit's error is used, because its reason is more precise.
  const trial = isMarkOf(closeMark, header)
    ? undefined
    : tryToOpen(directory, { timeout: 30_000 + Math.ceil(header.size / 20_000) }).then(
        () => undefined,
        (error: unknown) => error as Error,
      )
  try {
    auditPages(file)
  } finally {
    await trial
  }
  const reason = await trial
  if (reason) throw reason
}

/**
 * Creates a directory and its missing parents one by one. Node's recursive mode never returns if a directory cannot be created, for example
 * in /proc.
 */
function makeDirectory(directory: string): void {
  if (existsSync(directory)) return
  makeDirectory(dirname(directory))
  mkdirSync(directory, { mode: 0o700 })
}

/**
 * Logs a warning if other users can access the directory, as etcd does. The mode is not changed, because the operator owns the directory.
 * The store's files are accessible only to their owner in any case.
 */
function warnIfAccessible(directory: string, dataDir: string, log: LmdbOptions['log']): void {
  const mode = statSync(directory).mode & 0o777
  if (process.platform === 'win32' || (mode & 0o077) === 0) return
  log?.(0, 'The data directory is accessible to other users', { dataDir, mode: mode.toString(8), recommended: '700' })
}

function formatMebibytes(bytes: number): string {
  return `${Math.round(bytes / 2 ** 20)}Mi`
}

function freeBytes(directory: string): number {
  const { bavail, blocks, bsize } = statfsSync(directory)
  // Some file systems report 0 blocks because they do not know their size.
  return blocks === 0 ? Infinity : bavail * bsize
}

function openTable(root: RootDatabase<Uint8Array, Uint8Array>, name: string): Table {
  return root.openDB<Uint8Array, Uint8Array>({ name, encoding: 'binary', keyEncoding: 'binary' })
}

function numberBytes(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(8 * values.length)
  for (const [i, value] of values.entries()) bytes.writeDoubleBE(value, 8 * i)
  return bytes
}

/** Prepends a byte that is never 1 and a CRC32. The encoding of entries explains the byte. */
function addChecksum(bytes: Buffer): Buffer {
  const buffer = Buffer.alloc(5 + bytes.length)
  buffer[0] = 0x4b
  buffer.writeUInt32BE(crc32(bytes), 1)
  buffer.set(bytes, 5)
  return buffer
}

function verifyChecksum(bytes: Buffer, subject: string, numbers: number): [number, ...number[]] {
  if (bytes.length !== 5 + 8 * numbers || bytes.readUInt32BE(1) !== crc32(bytes.subarray(5))) {
    throw new DamagedStoreError(`the stored ${subject} is damaged (its checksum does not match): restore the data directory`)
  }
  return Array.from({ length: numbers }, (_, i) => bytes.readDoubleBE(5 + 8 * i)) as [number, ...number[]]
}
