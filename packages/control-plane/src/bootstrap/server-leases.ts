import type { Endpoints } from '@keelson/api/core/v1'
import { isStorageError } from '@keelson/storagebackend'
import type { Storage } from '@keelson/storagebackend'

/** Lifetime of a lease; exceeds the renewal interval. The endpoint of a crashed server disappears after this time. */
const ttlSeconds = 15

/** Leases of all servers on the store. Each lease is an object named by the server's address, which expires unless it is renewed. */
export class ServerLeases {
  readonly #storage: Storage<Endpoints>
  readonly #prefix: string

  /** Every key of `storage` starts with `prefix`. */
  constructor(storage: Storage<Endpoints>, prefix: string) {
    this.#storage = storage
    this.#prefix = prefix
  }

  /** Lists the addresses of all servers. */
  async list(): Promise<readonly string[]> {
    const { items } = await this.#storage.list(this.#prefix, { resourceVersion: '' })
    return Array.from(items, (item) => item.object()).flatMap(({ subsets }) => subsets?.[0]?.addresses?.[0]?.ip ?? [])
  }

  async renew(address: string): Promise<void> {
    await this.#storage.guaranteedUpdate(
      this.#key(address),
      (current) => ({
        // A no-op write would not renew the time to live.
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
