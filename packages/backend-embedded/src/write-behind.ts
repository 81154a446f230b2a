import type { Entry } from '@keelson/storagebackend'
import { NotWrittenError, type Durability, type LoadedState, type WriteBatch } from './durability.ts'

/** With so much on its way to the disk, a batch waits until that is done. */
const mostWaiting = 64 * 2 ** 20
/** Batches are joined up to this, so that preparing them stays a matter of a few milliseconds. */
const mostJoined = 4 * 2 ** 20

/**
 * Answers a batch before it is on disk. Batches reach the disk in their order, several as one when they come faster than it takes them: so
 * what a crash leaves is the state at some revision, though not the newest. Closing waits for all of them.
 *
 * When there is no room, the next batch tries what waits again, and is refused if there is still none. After another failure every batch is
 * refused.
 */
export class WriteBehind implements Durability {
  readonly #disk: Durability
  #waiting: WriteBatch[] = []
  #bytes = 0
  /** Of the batches that the disk has. */
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
    // Before this batch is taken: one that is refused must not be written later.
    if (this.#failure || this.#bytes > mostWaiting) await this.#flush()
    const kept = { ...batch, deletes: [...batch.deletes], replaced: [...batch.replaced] }
    this.#waiting.push(kept)
    this.#bytes += bytesOf(kept)
    // Told to the next one.
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

  /** Resolves when all that waits now is on disk. */
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
      const until = this.#waiting.findIndex((each) => (bytes += bytesOf(each)) > mostJoined)
      const batches = this.#waiting.slice(0, until < 0 ? undefined : Math.max(1, until))
      const batch = joined(batches, this.#revision)
      try {
        await this.#disk.write(batch)
      } catch (error) {
        this.#failure = error as Error
        throw error
      }
      this.#revision = batch.revision
      for (const each of this.#waiting.splice(0, batches.length)) this.#bytes -= bytesOf(each)
    }
  }
}

function bytesOf({ puts }: WriteBatch): number {
  let bytes = 0
  for (const { value } of puts) bytes += value.length
  return bytes
}

/** `durable` is the revision on disk: what replaced an entry newer than that replaces nothing there. */
function joined(batches: readonly WriteBatch[], durable: number): WriteBatch {
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
