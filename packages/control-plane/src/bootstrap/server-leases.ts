import type { Endpoints } from '@keelson/api/core/v1'
import { isStorageError } from '@keelson/storagebackend'
import type { Storage } from '@keelson/storagebackend'

/** Longer than the time between two renewals; a server that dies is forgotten after so long. */
const ttlSeconds = 15

/** Which servers there are: each has an object of its own, named by its address, that goes away unless it is renewed. */
export class ServerLeases {
  readonly #storage: Storage<Endpoints>
  readonly #prefix: string

  /** Every key of `storage` starts with `prefix`. */
  constructor(storage: Storage<Endpoints>, prefix: string) {
    this.#storage = storage
    this.#prefix = prefix
  }

  /** The addresses of all. */
  async list(): Promise<readonly string[]> {
    const { items } = await this.#storage.list(this.#prefix, { resourceVersion: '' })
    return Array.from(items, (item) => item.object()).flatMap(({ subsets }) => subsets?.[0]?.addresses?.[0]?.ip ?? [])
  }

  async renew(address: string): Promise<void> {
    await this.#storage.guaranteedUpdate(
      this.#key(address),
      (current) => ({
        // A write that changes nothing would not renew it.
        object: {
          metadata: { name: address, generation: (current?.metadata.generation ?? 0) + 1 },
          subsets: [{ addresses: [{ ip: address }] }],
        },
        ttlSeconds,
      }),
      { ignoreNotFound: true },
    )
  }

  async remove(address: string): Promise<void> {
    try {
      await this.#storage.delete(this.#key(address))
    } catch (error) {
      if (!isStorageError(error) || error.code !== 'KeyNotFound') throw error
    }
  }

  #key(address: string): string {
    return `${this.#prefix}${address}`
  }
}
