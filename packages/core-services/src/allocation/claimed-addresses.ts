import type { IPAddress } from '@keelson/api/networking/v1'
import { isApiError } from '@keelson/apimachinery'
import type { DeepReadonly } from '@keelson/apimachinery'
import type { Family } from './ip-range.ts'
import type { KnownObjects } from './known-objects.ts'

/** Whose address it is. */
export interface ServiceName {
  readonly namespace: string
  readonly name: string
}

type ReadonlyAddress = DeepReadonly<IPAddress>

const managedBy = 'ipaddress.kubernetes.io/managed-by'
const ipFamily = 'ipaddress.kubernetes.io/ip-family'
const manager = 'ipallocator.k8s.io'

/**
 * Addresses are claimed by making an IPAddress object of that name, which only one can, whichever server they ask. What is known of them
 * saves useless tries; the store decides.
 */
export class ClaimedAddresses {
  readonly #known: KnownObjects<IPAddress>
  /** Claimed or tried by this server, and not yet known. */
  readonly #mine = new Set<string>()

  constructor(makeKnown: (onChange: (ip: string) => void) => KnownObjects<IPAddress>) {
    this.#known = makeKnown((ip) => this.#mine.delete(ip))
  }

  /** To be awaited before `seemsFree`, `get` and `list` are asked. */
  synced(): Promise<void> {
    return this.#known.synced()
  }

  /** False when somebody has it, or is about to. */
  seemsFree(ip: string): boolean {
    return !this.#mine.has(ip) && !this.#known.has('', ip)
  }

  /** False when somebody has it. */
  async claim(ip: string, service: ServiceName, family: Family): Promise<boolean> {
    this.#mine.add(ip)
    try {
      await this.#known.api.create('', addressFor(ip, service, family))
      return true
    } catch (error) {
      this.#mine.delete(ip)
      if (isApiError(error, 'AlreadyExists')) return false
      throw error
    }
  }

  /** Nothing happens to an address that another has by now. Never throws: what stays is found by the repair loop. */
  async release(ip: string, service: ServiceName): Promise<void> {
    this.#mine.delete(ip)
    try {
      await this.remove(ip, (address) => belongsTo(address, service))
    } catch {
      // The store is away, or the server is on its way down.
    }
  }

  /** Deletes the object that `condition` holds for, and no other that takes its place. */
  async remove(ip: string, condition: (address: ReadonlyAddress) => boolean): Promise<void> {
    if (await this.#removeIf(ip, this.#known.get('', ip), condition)) return
    // What is known may be late.
    await this.#removeIf(ip, await this.#known.api.get('', ip, { resourceVersion: '' }), condition)
  }

  /** False when it was not this object, or is gone. */
  async #removeIf(ip: string, address: ReadonlyAddress | undefined, condition: (address: ReadonlyAddress) => boolean): Promise<boolean> {
    if (address === undefined || !condition(address)) return false
    try {
      await this.#known.api.delete('', ip, { preconditions: { uid: address.metadata.uid ?? '' } })
      return true
    } catch (error) {
      if (isApiError(error, 'NotFound') || isApiError(error, 'Conflict')) return false
      throw error
    }
  }

  /** Every address that was claimed here, by any server. */
  *list(): Generator<ReadonlyAddress> {
    for (const address of this.#known.values()) if (address.metadata.labels?.[managedBy] === manager) yield address
  }

  get(ip: string): ReadonlyAddress | undefined {
    return this.#known.get('', ip)
  }
}

function addressFor(ip: string, { namespace, name }: ServiceName, family: Family): IPAddress {
  return {
    metadata: { name: ip, labels: { [ipFamily]: family, [managedBy]: manager } },
    // Without its group, which is core's: who names it manages it.
    spec: { parentRef: { resource: 'services', namespace, name } },
  }
}

/** The service that an address names, if it does name one. */
export function parentOf({ spec }: ReadonlyAddress): ServiceName | undefined {
  const { group = '', resource = '', namespace = '', name = '' } = spec?.parentRef ?? {}
  return group === '' && resource === 'services' ? { namespace, name } : undefined
}

export function belongsTo(address: ReadonlyAddress, service: ServiceName): boolean {
  const parent = parentOf(address)
  return parent?.namespace === service.namespace && parent.name === service.name
}

/** Its labels say what they should. */
export function isWellLabelled({ metadata }: ReadonlyAddress, family: Family): boolean {
  return metadata.labels?.[managedBy] === manager && metadata.labels[ipFamily] === family
}
