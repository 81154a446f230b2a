import type { IPAddress } from '@keelson/api/networking/v1'
import { isApiError } from '@keelson/apimachinery'
import type { DeepReadonly } from '@keelson/apimachinery'
import type { Family } from './ip-range.ts'
import type { CachedObjects } from './cached-objects.ts'

/** The name of a service that owns an address. */
export interface ServiceName {
  readonly namespace: string
  readonly name: string
}

type ReadonlyAddress = DeepReadonly<IPAddress>

const managedBy = 'ipaddress.kubernetes.io/managed-by'
const ipFamily = 'ipaddress.kubernetes.io/ip-family'
const manager = 'ipallocator.k8s.io'

/**
 * Allocates addresses by creating IPAddress objects. The name of the object is the address, so only one server can succeed. A local cache
 * avoids useless attempts, but the storage decides.
 */
export class ClaimedAddresses {
  readonly #cache: CachedObjects<IPAddress>
  /** Addresses that this server has tried to claim and that are not in the cache yet. */
  readonly #pending = new Set<string>()

  constructor(createCache: (onChange: (ip: string) => void) => CachedObjects<IPAddress>) {
    this.#cache = createCache((ip) => this.#pending.delete(ip))
  }

  /** Resolves when the cache is filled. Callers must await this before they call `seemsFree`, `get` or `list`. */
  synced(): Promise<void> {
    return this.#cache.synced()
  }

  /** Returns whether the address is free, according to the cache and the pending claims of this server. */
  seemsFree(ip: string): boolean {
    return !this.#pending.has(ip) && !this.#cache.has('', ip)
  }

  /** Claims an address. Returns false if another service has it. */
  async claim(ip: string, service: ServiceName, family: Family): Promise<boolean> {
    this.#pending.add(ip)
    try {
      await this.#cache.api.create('', buildAddress(ip, service, family))
      return true
    } catch (error) {
      this.#pending.delete(ip)
      if (isApiError(error, 'AlreadyExists')) return false
      throw error
    }
  }

  /**
   * Releases an address unless another service owns it now. Never throws: if the storage is not available, the repair loop releases the
   * address later.
   */
  async release(ip: string, service: ServiceName): Promise<void> {
    this.#pending.delete(ip)
    try {
      await this.remove(ip, (address) => belongsTo(address, service))
    } catch {
      // The storage is unavailable or the server is shutting down. The repair loop releases the address later.
    }
  }

  /** Deletes the address object if `condition` is true for it. Never deletes an object that replaced it. */
  async remove(ip: string, condition: (address: ReadonlyAddress) => boolean): Promise<void> {
    if (await this.#removeIf(ip, this.#cache.get('', ip), condition)) return
    // The cache may be stale, so the condition is checked again with the stored object.
    await this.#removeIf(ip, await this.#cache.api.get('', ip, { resourceVersion: '' }), condition)
  }

  /** Deletes the object if `condition` is true. Returns false if it is not, or if the object has changed or was deleted. */
  async #removeIf(ip: string, address: ReadonlyAddress | undefined, condition: (address: ReadonlyAddress) => boolean): Promise<boolean> {
    if (address === undefined || !condition(address)) return false
    try {
      await this.#cache.api.delete('', ip, { preconditions: { uid: address.metadata.uid ?? '' } })
      return true
    } catch (error) {
      if (isApiError(error, 'NotFound') || isApiError(error, 'Conflict')) return false
      throw error
    }
  }

  /** Lists the addresses claimed by the allocator of any server. */
  *list(): Generator<ReadonlyAddress> {
    for (const address of this.#cache.values()) if (address.metadata.labels?.[managedBy] === manager) yield address
  }

  get(ip: string): ReadonlyAddress | undefined {
    return this.#cache.get('', ip)
  }
}

function buildAddress(ip: string, { namespace, name }: ServiceName, family: Family): IPAddress {
  return {
    metadata: { name: ip, labels: { [ipFamily]: family, [managedBy]: manager } },
    // The group is omitted because services are in core.
    spec: { parentRef: { resource: 'services', namespace, name } },
  }
}

/** Returns the service an address refers to; undefined if its parent is not a service. */
export function getParent({ spec }: ReadonlyAddress): ServiceName | undefined {
  const { group = '', resource = '', namespace = '', name = '' } = spec?.parentRef ?? {}
  return group === '' && resource === 'services' ? { namespace, name } : undefined
}

export function belongsTo(address: ReadonlyAddress, service: ServiceName): boolean {
  const parent = getParent(address)
  return parent?.namespace === service.namespace && parent.name === service.name
}

/** Returns whether the labels of the address are correct. */
export function hasCorrectLabels({ metadata }: ReadonlyAddress, family: Family): boolean {
  return metadata.labels?.[managedBy] === manager && metadata.labels[ipFamily] === family
}
