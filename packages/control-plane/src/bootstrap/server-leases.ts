import type { Endpoints } from '@keelson/api/core/v1'
import { isStorageError } from '@keelson/storagebackend'
import type { Storage } from '@keelson/storagebackend'

/** Lifetime of a server lease in seconds, longer than the renewal interval. The endpoint of a crashed server disappears after this time. */
const ttlSeconds = 15

/**
 * Leases of all API servers on the store. Each lease is an object that is named by the server's address and that expires unless the server
 * renews it.
 */
export class ServerLeases {
  readonly #storage: Storage<Endpoints>
  readonly #prefix: string

  /** Creates the collection of leases in `storage`. `prefix` is the prefix of every key in that storage. */
  constructor(storage: Storage<Endpoints>, prefix: string) {
    this.#storage = storage
    this.#prefix = prefix
  }

  /** Lists the addresses of all servers with a valid lease. */
  async list(): Promise<readonly string[]> {
    const { items } = await this.#storage.list(this.#prefix, { resourceVersion: '' })
    return Array.from(items, (item) => item.object()).flatMap(({ subsets }) => subsets?.[0]?.addresses?.[0]?.ip ?? [])
  }

  async renew(address: string): Promise<void> {
    await this.#storage.guaranteedUpdate(
      this.#key(address),
      (current) => ({
        // Changes the object on every renewal, because a no-op write does not extend the lifetime of the key.
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
