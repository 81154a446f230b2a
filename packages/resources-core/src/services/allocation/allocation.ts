import type { Service } from '@keelson/api/core/v1'
import { newInvalid } from '@keelson/apimachinery'
import type { ApiError, FieldErrorList } from '@keelson/apimachinery'
import type { Family, IPPool } from './ip-pool.ts'
import type { PortPool } from './port-pool.ts'

export interface Pools {
  /** By family; the first is the one that services get when they do not say. */
  readonly ips: ReadonlyMap<Family, IPPool>
  readonly ports: PortPool
}

export interface AllocationOptions {
  /** The service's uid. */
  readonly owner: string
  readonly dryRun: boolean
  /** It is the API server's own service, which alone may have the first address. */
  readonly mayHaveFirst: boolean
}

/** What one write takes from the pools, and what it will give back when it succeeds. In a dry run it only pretends. */
export class Allocation {
  readonly pools: Pools
  readonly #options: AllocationOptions
  readonly #ips: { readonly pool: IPPool; readonly ip: string }[] = []
  readonly #ports: number[] = []
  readonly #later: (() => void)[] = []

  constructor(pools: Pools, options: AllocationOptions) {
    this.pools = pools
    this.#options = options
  }

  /** undefined, or why the address cannot be had. */
  takeIP(pool: IPPool, ip: string): string | undefined {
    const { owner, dryRun, mayHaveFirst } = this.#options
    if (dryRun) return pool.tryTake(ip)
    const complaint = pool.take(ip, owner, mayHaveFirst)
    if (complaint === undefined) this.#ips.push({ pool, ip })
    return complaint
  }

  takeAnyIP(pool: IPPool): string | undefined {
    if (this.#options.dryRun) return pool.placeholder
    const ip = pool.takeAny(this.#options.owner)
    if (ip !== undefined) this.#ips.push({ pool, ip })
    return ip
  }

  /** undefined, or why the port cannot be had. */
  takePort(port: number): string | undefined {
    const { owner, dryRun } = this.#options
    const { ports } = this.pools
    if (dryRun && (ports.has(port) || this.#ports.includes(port))) return 'provided port is already allocated'
    const complaint = dryRun ? undefined : ports.take(port, owner)
    if (complaint === undefined) this.#ports.push(port)
    return complaint
  }

  takeAnyPort(): number | undefined {
    // A dry run counts upward from here; the numbers are for show.
    const shown = (this.#ports.length === 0 ? 32_768 : Math.max(...this.#ports)) + 1
    const port = this.#options.dryRun ? shown : this.pools.ports.takeAny(this.#options.owner)
    if (port !== undefined) this.#ports.push(port)
    return port
  }

  releaseIPLater(family: string, ip: string): void {
    this.#later.push(() => this.pools.ips.get(family as Family)?.release(ip, this.#options.owner))
  }

  releasePortLater(port: number): void {
    this.#later.push(() => this.pools.ports.release(port, this.#options.owner))
  }

  commit(): void {
    if (!this.#options.dryRun) for (const release of this.#later) release()
  }

  revert(): void {
    const { owner, dryRun } = this.#options
    if (dryRun) return
    for (const { pool, ip } of this.#ips) pool.release(ip, owner)
    for (const port of this.#ports) this.pools.ports.release(port, owner)
  }
}

export function invalidService({ metadata }: Service, ...errors: FieldErrorList): ApiError {
  return newInvalid({ group: '', kind: 'Service' }, metadata.name ?? '', errors)
}
