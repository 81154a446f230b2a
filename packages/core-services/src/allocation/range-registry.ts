import type { RangeAllocation } from '@keelson/api/core/v1'
import type { DeepReadonly } from '@keelson/apimachinery'
import type { Storage, StoredObject } from '@keelson/storagebackend'
import { isStorageError } from '@keelson/storagebackend'
import { Bitmap } from './bitmap.ts'

export interface RangeRegistryOptions {
  readonly storage: Storage<RangeAllocation>
  readonly key: string
  /** Text of the range, like "30000-32767", which is also stored in the object. */
  readonly range: string
  readonly size: number
  /** Name of the allocated resource, for error messages. */
  readonly resource: string
}

export interface RangeState {
  /** Allocated numbers. The set is empty if the stored object is for another range. */
  readonly bitmap: Bitmap
  /** True if the object exists and is for this range. */
  readonly isCurrent: boolean
  /** The stored object; undefined if it does not exist yet. */
  readonly stored: StoredObject<RangeAllocation> | undefined
}

type Step<R> = (bitmap: Bitmap) => R

interface Waiting {
  readonly step: Step<unknown>
  readonly resolve: (result: unknown) => void
  readonly reject: (error: unknown) => void
}

/**
 * The allocated numbers of a range. They are stored in one RangeAllocation, which all servers update with optimistic locking. Changes that
 * arrive during a write are combined in the next write.
 */
export class RangeRegistry {
  readonly #options: RangeRegistryOptions
  #waiting: Waiting[] = []
  #writing = false
  #last: StoredObject<RangeAllocation> | undefined

  constructor(options: RangeRegistryOptions) {
    this.#options = options
  }

  /** Runs `step` on the current state and resolves when the change is stored. After a conflict, `step` runs again. */
  change<R>(step: Step<R>): Promise<R> {
    const result = new Promise<unknown>((resolve, reject) => this.#waiting.push({ step, resolve, reject }))
    if (!this.#writing) void this.#writeAll()
    return result as Promise<R>
  }

  async read(): Promise<RangeState> {
    const { storage, key, range, size } = this.#options
    try {
      const stored = await storage.get(key, { resourceVersion: '' })
      const isCurrent = stored.object().range === range
      return { stored, isCurrent, bitmap: isCurrent ? this.#decodeBitmap(stored.object()) : new Bitmap(size) }
    } catch (error) {
      if (isStorageError(error) && error.code === 'KeyNotFound') return { stored: undefined, isCurrent: false, bitmap: new Bitmap(size) }
      throw error
    }
  }

  /** Replaces the stored state. Returns false if it has changed since it was read. */
  async replace(bitmap: Bitmap, { stored }: RangeState): Promise<boolean> {
    const { storage, key, range } = this.#options
    const object: RangeAllocation = { metadata: { name: key.slice(key.lastIndexOf('/') + 1) }, range, data: bitmap.toBase64() }
    try {
      if (stored === undefined) this.#last = await storage.create(key, object)
      else {
        const preconditions = { resourceVersion: String(stored.revision) }
        this.#last = await storage.guaranteedUpdate(key, () => ({ object }), { preconditions })
      }
      return true
    } catch (error) {
      if (isStorageError(error) && (error.code === 'KeyExists' || error.code === 'InvalidObject' || error.code === 'KeyNotFound'))
        return false
      throw error
    }
  }

  async #writeAll(): Promise<void> {
    this.#writing = true
    while (this.#waiting.length > 0) {
      const batch = this.#waiting
      this.#waiting = []
      try {
        const results = await this.#write(batch)
        for (const [i, { resolve }] of batch.entries()) resolve(results[i])
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    this.#writing = false
  }

  async #write(batch: readonly Waiting[]): Promise<readonly unknown[]> {
    const { storage, key, resource } = this.#options
    let results: readonly unknown[] = []
    this.#last = await storage.guaranteedUpdate(
      key,
      (current) => {
        if (current === undefined) throw new Error(`cannot allocate resources of type ${resource} at this time`)
        const bitmap = this.#decodeBitmap(current)
        results = batch.map(({ step }) => step(bitmap))
        return { object: { ...current, data: bitmap.toBase64() } }
      },
      { ignoreNotFound: true, ...(this.#last && { suggestion: this.#last }) },
    )
    return results
  }

  #decodeBitmap({ range, data }: DeepReadonly<RangeAllocation>): Bitmap {
    if (range !== this.#options.range) throw new Error('the provided range does not match the current range')
    return Bitmap.from(data ?? '', this.#options.size)
  }
}
