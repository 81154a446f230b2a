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

/**
 * Tracks the addresses and ports that one write of a service allocates, and those that must be released after the write succeeds. A dry run
 * allocates nothing.
 */
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

  /** Allocates an address. Returns an error message if that is not possible. */
  async takeIP(allocator: IPAllocator, ip: string): Promise<string | undefined> {
    const { service, dryRun } = this.#options
    if (dryRun) return allocator.tryTake(ip)
    const error = await allocator.take(ip, service)
    if (error === undefined) this.#ips.push({ allocator, ip })
    return error
  }

  async takeAnyIP(allocator: IPAllocator): Promise<string | undefined> {
    if (this.#options.dryRun) return allocator.placeholder()
    const ip = await allocator.takeAny(this.#options.service)
    if (ip !== undefined) this.#ips.push({ allocator, ip })
    return ip
  }

  /** Allocates a port. Returns an error message if that is not possible. */
  async takePort(port: number): Promise<string | undefined> {
    const { ports } = this.allocators
    const { dryRun } = this.#options
    if (dryRun && (this.#ports.has(port) || (await ports.isTaken(port)))) return 'provided port is already allocated'
    const error = dryRun ? undefined : await ports.take(port)
    if (error === undefined) this.#claim(port)
    return error
  }

  async takeAnyPort(): Promise<number | undefined> {
    // A dry run returns placeholders: numbers after the highest port, which may wrap around int32.
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

export function createInvalidServiceError({ metadata }: Service, ...errors: FieldErrorList): ApiError {
  return newInvalid({ group: '', kind: 'Service' }, metadata.name ?? '', errors)
}
