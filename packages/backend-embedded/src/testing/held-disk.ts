import type { Durability, WriteBatch } from '../durability.ts'

/** A simulated disk. A flush ends only when the test releases it. */
export class HeldDisk implements Durability {
  readonly batches: WriteBatch[] = []
  durable = 1
  #held: { resolve: () => void; reject: (error: Error) => void }[] = []
  #arrived: (() => void) | undefined

  load(): ReturnType<Durability['load']> {
    return { revision: 1, entries: [], leases: [] }
  }
  write(batch: WriteBatch): Promise<void> {
    this.batches.push(batch)
    this.#arrived?.()
    return new Promise((resolve, reject) => {
      this.#held.push({
        resolve: () => {
          this.durable = batch.revision
          resolve()
        },
        reject,
      })
    })
  }
  /** The number of flushes that have started and not ended. */
  get pending(): number {
    return this.#held.length
  }
  /** Waits until the next flush starts, and ends it. With an error, the flush fails. */
  async release(error?: Error): Promise<void> {
    if (this.#held.length === 0) {
      await new Promise<void>((resolve) => {
        this.#arrived = resolve
      })
    }
    const flush = this.#held.shift()!
    if (error) flush.reject(error)
    else flush.resolve()
  }
  async size(): Promise<number> {
    return 0
  }
  async close(): Promise<void> {}
}

/** A faulty simulated disk: writes resolve before they are on disk. Tests of durability must detect that. */
export class HastyDisk extends HeldDisk {
  override write(batch: WriteBatch): Promise<void> {
    void super.write(batch)
    return Promise.resolve()
  }
}
