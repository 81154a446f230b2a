import type { Entry } from '@keelson/storagebackend'
import { NotWrittenError, type Durability, type LoadedState, type WriteBatch } from './durability.ts'

/** The maximum size of all waiting batches, in bytes. If they are larger, the next batch waits until they are written. */
const maxWaitingBytes = 64 * 2 ** 20
/** The maximum size of a joined batch, in bytes, so that preparing it takes only a few milliseconds. */
const maxJoinedBytes = 4 * 2 ** 20

/**
 * A `Durability` that resolves a batch before it is on disk. Batches are written in order. If they come faster than the disk can write,
 * several are joined into one. So after a crash, the disk has the state at some revision, which may not be the newest. Closing waits until
 * all batches are written. On a full disk, the next batch first tries to write the waiting ones again, and is refused if the disk is still
 * full. After any other error, every further batch is refused.
 */
export class WriteBehind implements Durability {
  readonly #disk: Durability
  #waiting: WriteBatch[] = []
  #bytes = 0
  /** The revision that is on disk. */
  #revision = 0
  #writing: Promise<void> | undefined
  #failure: Error | undefined

  constructor(disk: Durability) {
    this.#disk = disk
  }

  load(): LoadedState {
    const state = this.#disk.load()
    this.#revision = state.revision
    return state
  }

  async write(batch: WriteBatch): Promise<void> {
    if (this.#failure && !(this.#failure instanceof NotWrittenError)) throw this.#failure
    // Write the waiting batches before accepting this batch, because a batch that was refused must not be written later.
    if (this.#failure || this.#bytes > maxWaitingBytes) await this.#flush()
    const copied = { ...batch, deletes: [...batch.deletes], replaced: [...batch.replaced] }
    this.#waiting.push(copied)
    this.#bytes += sumValueBytes(copied)
    // Ignore the error here. The next batch is rejected with it.
    this.#flush().catch(() => undefined)
  }

  checkHealth(): void {
    this.#disk.checkHealth?.()
  }

  async size(): Promise<number> {
    return (await this.#disk.size()) + this.#bytes
  }

  async close(): Promise<void> {
    try {
      await this.#flush()
    } finally {
      await this.#disk.close()
    }
  }

  /** Resolves when all waiting batches are on disk. */
  #flush(): Promise<void> {
    this.#writing ??= this.#drain().finally(() => {
      this.#writing = undefined
    })
    return this.#writing
  }

  async #drain(): Promise<void> {
    this.#failure = undefined
    while (this.#waiting.length > 0) {
      let bytes = 0
      const joinedCount = this.#waiting.findIndex((batch) => (bytes += sumValueBytes(batch)) > maxJoinedBytes)
      const batches = this.#waiting.slice(0, joinedCount < 0 ? undefined : Math.max(1, joinedCount))
      const batch = joinBatches(batches, this.#revision)
      try {
        await this.#disk.write(batch)
      } catch (error) {
        this.#failure = error as Error
        throw error
      }
      this.#revision = batch.revision
      for (const batch of this.#waiting.splice(0, batches.length)) this.#bytes -= sumValueBytes(batch)
    }
  }
}

function sumValueBytes({ puts }: WriteBatch): number {
  let bytes = 0
  for (const { value } of puts) bytes += value.length
  return bytes
}

/**
 * Joins several batches into one. `durable` is the revision on disk. A replaced entry with a newer revision was never on disk, so it is
 * left out.
 */
function joinBatches(batches: readonly WriteBatch[], durable: number): WriteBatch {
  const puts = new Map<string, Entry>()
  const deletes = new Set<string>()
  const replaced: Entry[] = []
  for (const batch of batches) {
    for (const entry of batch.replaced) if (entry.modRevision <= durable) replaced.push(entry)
    for (const entry of batch.puts) {
      puts.set(entry.key, entry)
      deletes.delete(entry.key)
    }
    for (const key of batch.deletes) {
      puts.delete(key)
      deletes.add(key)
    }
  }
  const endedLeases = batches.flatMap((batch) => batch.endedLeases)
  const ended = new Set(endedLeases)
  const leases = batches.flatMap((batch) => batch.leases).filter(({ id }) => !ended.has(id))
  return { revision: batches.at(-1)!.revision, puts: [...puts.values()], deletes, replaced, leases, endedLeases }
}
