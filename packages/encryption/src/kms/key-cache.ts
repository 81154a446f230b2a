import { createHash } from 'node:crypto'
import type { Clock } from '@keelson/apimachinery'
import type { ValueTransformer } from '@keelson/storagebackend'
import type { EncryptedObject } from './encrypted-object.ts'

/** Time after which an unused key is removed from the cache, in milliseconds. */
const timeToLive = 24 * 3_600_000
const sweepPeriod = 3_600_000

interface Cached {
  readonly reader: ValueTransformer
  usedAt: number
}

/** Caches decrypted keys by their encrypted form. The plugin then decrypts each key once instead of once for each value. */
export class KeyCache {
  readonly #clock: Clock
  readonly #readers = new Map<string, Cached>()
  #sweptAt: number

  constructor(clock: Clock) {
    this.#clock = clock
    this.#sweptAt = clock.now()
  }

  get(id: string): ValueTransformer | undefined {
    const cached = this.#readers.get(id)
    if (cached === undefined) return undefined
    cached.usedAt = this.#clock.now()
    return cached.reader
  }

  set(id: string, reader: ValueTransformer): void {
    const now = this.#clock.now()
    this.#readers.set(id, { reader, usedAt: now })
    if (now - this.#sweptAt < sweepPeriod) return
    this.#sweptAt = now
    for (const [key, { usedAt }] of this.#readers) if (now - usedAt > timeToLive) this.#readers.delete(key)
  }
}

/**
 * Returns the cache key of a DEK source: a hash of its type and of the arguments of the plugin's Decrypt call. Each argument is prefixed with its
 * length, so that different arguments cannot have the same input to the hash.
 */
export function computeKeyCacheId(object: Omit<EncryptedObject, 'encryptedData'>): string {
  const hash = createHash('sha256')
  const add = (part: Uint8Array | string): void => {
    const bytes = typeof part === 'string' ? Buffer.from(part) : part
    const length = Buffer.alloc(4)
    length.writeUInt32BE(bytes.length)
    hash.update(length).update(bytes)
  }
  add(String(object.encryptedDEKSourceType))
  add(object.encryptedDEKSource)
  add(object.keyID)
  for (const name of Object.keys(object.annotations).sort()) {
    add(name)
    add(object.annotations[name]!)
  }
  return hash.digest('base64')
}
