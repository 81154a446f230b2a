import type { ExpiringEndpoints } from '@keelson/aggregator'
import type { Endpoints } from '@keelson/api/core/v1'
import type { DeepReadonly } from '@keelson/apimachinery'
import { isStorageError } from '@keelson/storagebackend'
import type { Storage } from '@keelson/storagebackend'

/** Lifetime of a server lease in seconds, longer than the renewal interval. The entry of a crashed server disappears after this time. */
const ttlSeconds = 15

/** Leases of all API servers on the store. Each lease is an object with the addresses of a server, which expires unless the server renews it. */
export class ServerLeases implements ExpiringEndpoints {
  readonly #storage: Storage<Endpoints>
  readonly #prefix: string

  /** Creates the collection of leases in `storage`. `prefix` is the prefix of every key in that storage. */
  constructor(storage: Storage<Endpoints>, prefix: string) {
    this.#storage = storage
    this.#prefix = prefix
  }

  /** Lists all servers with a valid lease. */
  async list(): Promise<readonly DeepReadonly<Endpoints>[]> {
    const { items } = await this.#storage.list(this.#prefix, { resourceVersion: '' })
    return Array.from(items, (item) => item.object())
  }

  async renew(name: string, { labels, subsets }: Parameters<ExpiringEndpoints['renew']>[1]): Promise<void> {
    await this.#storage.guaranteedUpdate(
      this.#key(name),
      (current) => ({
        // Changes the object on every renewal, because a no-op write does not extend the lifetime of the key.
        object: { metadata: { name, generation: (current?.metadata.generation ?? 0) + 1, ...(labels && { labels }) }, subsets },
        ttlSeconds,
      }),
      { ignoreNotFound: true },
    )
  }

  async remove(name: string): Promise<void> {
    try {
      await this.#storage.delete(this.#key(name))
    } catch (error) {
      if (!isStorageError(error) || error.code !== 'KeyNotFound') throw error
    }
  }

  #key(name: string): string {
    return `${this.#prefix}${name}`
  }
}
