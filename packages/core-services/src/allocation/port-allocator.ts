import type { RangeAllocation } from '@keelson/api/core/v1'
import type { Storage } from '@keelson/storagebackend'
import { searchOrder } from './static-band.ts'
import type { Random } from './static-band.ts'
import { formatPortRange, isInPortRange, computePortStaticBand } from './port-range.ts'
import type { PortRange } from './port-range.ts'
import { RangeRegistry } from './range-registry.ts'

export interface PortAllocatorOptions {
  readonly range: PortRange
  readonly storage: Storage<RangeAllocation>
  /** Storage key of the RangeAllocation, "/registry/ranges/servicenodeports". */
  readonly key: string
  readonly random: Random
}

/** Allocates node ports of services. */
export class PortAllocator {
  readonly range: PortRange
  readonly registry: RangeRegistry
  readonly #random: Random

  constructor({ range, storage, key, random }: PortAllocatorOptions) {
    this.range = range
    this.#random = random
    const size = range.last - range.first + 1
    this.registry = new RangeRegistry({ storage, key, range: formatPortRange(range), size, resource: 'servicenodeportallocations' })
  }

  /** Allocates a port. Returns an error message if that is not possible. */
  async take(port: number): Promise<string | undefined> {
    if (!isInPortRange(this.range, port)) {
      return `provided port is not in the valid range. The range of valid ports is ${formatPortRange(this.range)}`
    }
    try {
      const isAdded = await this.registry.change((bitmap) => bitmap.add(port - this.range.first))
      return isAdded ? undefined : 'provided port is already allocated'
    } catch (error) {
      return (error as Error).message
    }
  }

  /** Allocates any free port. Returns undefined if the range is full. */
  takeAny(): Promise<number | undefined> {
    const { first, last } = this.range
    const size = last - first + 1
    return this.registry.change((bitmap) => {
      if (bitmap.count >= size) return undefined
      for (const offset of searchOrder(size, computePortStaticBand(this.range), this.#random)) if (bitmap.add(offset)) return first + offset
      return undefined
    })
  }

  async isTaken(port: number): Promise<boolean> {
    return isInPortRange(this.range, port) && (await this.registry.read()).bitmap.has(port - this.range.first)
  }

  /** Releases ports. Never throws: if the storage is not available, the repair loop releases the ports later. */
  async release(ports: readonly number[]): Promise<void> {
    const offsets = ports.filter((port) => isInPortRange(this.range, port)).map((port) => port - this.range.first)
    if (offsets.length === 0) return
    try {
      await this.registry.change((bitmap) => offsets.forEach((offset) => bitmap.delete(offset)))
    } catch {
      // The storage is unavailable or the server is shutting down. The repair loop releases the ports later.
    }
  }
}
