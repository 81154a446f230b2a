import type { Service } from '@keelson/api/core/v1'
import { newInvalid } from '@keelson/apimachinery'
import type { ApiError, FieldErrorList } from '@keelson/apimachinery'
import type { ServiceName } from './claimed-addresses.ts'
import type { IPAllocator } from './ip-allocator.ts'
import type { Family } from './ip-range.ts'
import type { ServiceAllocators } from './service-allocators.ts'

export interface AllocationOptions {
  readonly service: ServiceName
  readonly dryRun: boolean
}

/** What one write of a service claims, and what it will give back when it succeeds. In a dry run it only pretends. */
export class Allocation {
  readonly allocators: ServiceAllocators
  readonly #options: AllocationOptions
  readonly #ips: { readonly allocator: IPAllocator; readonly ip: string }[] = []
  readonly #ports = new Set<number>()
  #highest = 32_768
  readonly #ipsLater: { readonly allocator: IPAllocator; readonly ip: string }[] = []
  readonly #portsLater: number[] = []

  constructor(allocators: ServiceAllocators, options: AllocationOptions) {
    this.allocators = allocators
    this.#options = options
  }

  /** undefined, or why the address cannot be had. */
  async takeIP(allocator: IPAllocator, ip: string): Promise<string | undefined> {
    const { service, dryRun } = this.#options
    if (dryRun) return allocator.tryTake(ip)
    const complaint = await allocator.take(ip, service)
    if (complaint === undefined) this.#ips.push({ allocator, ip })
    return complaint
  }

  async takeAnyIP(allocator: IPAllocator): Promise<string | undefined> {
    if (this.#options.dryRun) return allocator.placeholder()
    const ip = await allocator.takeAny(this.#options.service)
    if (ip !== undefined) this.#ips.push({ allocator, ip })
    return ip
  }

  /** undefined, or why the port cannot be had. */
  async takePort(port: number): Promise<string | undefined> {
    const { ports } = this.allocators
    const { dryRun } = this.#options
    if (dryRun && (this.#ports.has(port) || (await ports.isTaken(port)))) return 'provided port is already allocated'
    const complaint = dryRun ? undefined : await ports.take(port)
    if (complaint === undefined) this.#claim(port)
    return complaint
  }

  async takeAnyPort(): Promise<number | undefined> {
    // A dry run counts upward from here, around the end of what an integer holds; the numbers are for show.
    const port = this.#options.dryRun ? this.#highest + 1 : await this.allocators.ports.takeAny()
    if (port === undefined) return undefined
    this.#claim(port)
    return port | 0
  }

  #claim(port: number): void {
    this.#highest = Math.max(this.#ports.size === 0 ? 0 : this.#highest, port)
    this.#ports.add(port)
  }

  releaseIPLater(family: string, ip: string): void {
    const allocator = this.allocators.ips.get(family as Family)
    if (allocator !== undefined) this.#ipsLater.push({ allocator, ip })
  }

  releasePortLater(port: number): void {
    this.#portsLater.push(port)
  }

  commit(): Promise<void> {
    return this.#release(this.#ipsLater, this.#portsLater)
  }

  revert(): Promise<void> {
    return this.#release(this.#ips, [...this.#ports])
  }

  async #release(ips: readonly { readonly allocator: IPAllocator; readonly ip: string }[], ports: readonly number[]): Promise<void> {
    const { service, dryRun } = this.#options
    if (dryRun) return
    await Promise.all([...ips.map(({ allocator, ip }) => allocator.release(ip, service)), this.allocators.ports.release(ports)])
  }
}

export function invalidService({ metadata }: Service, ...errors: FieldErrorList): ApiError {
  return newInvalid({ group: '', kind: 'Service' }, metadata.name ?? '', errors)
}
