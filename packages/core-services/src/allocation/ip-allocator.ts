import { pause, systemClock, TimeSlice } from '@keelson/apimachinery'
import { formatIP, parseIP } from '@keelson/resources-core'
import { searchOrder } from './band.ts'
import type { Random } from './band.ts'
import type { ClaimedAddresses, ServiceName } from './claimed-addresses.ts'
import type { Family, IPRange } from './ip-range.ts'
import type { ServiceRanges } from './service-ranges.ts'

/** A change in the store is known everywhere after so long, but for servers in trouble. */
const settleMilliseconds = 100

/** Gives services addresses of one family, out of all ranges that there are for it. */
export class IPAllocator {
  readonly family: Family
  readonly #ranges: ServiceRanges
  readonly #addresses: ClaimedAddresses
  readonly #random: Random

  constructor(family: Family, parts: { readonly ranges: ServiceRanges; readonly addresses: ClaimedAddresses; readonly random: Random }) {
    this.family = family
    this.#ranges = parts.ranges
    this.#addresses = parts.addresses
    this.#random = parts.random
  }

  /** undefined, or why the address cannot be had. */
  async take(ip: string, service: ServiceName): Promise<string | undefined> {
    const within = (ranges: readonly IPRange[]): boolean => ranges.some((range) => range.contains(ip))
    if (!within(await this.#ranges.known(this.family)) && !within(await this.#ranges.now(this.family))) {
      return 'the provided network does not match the current range'
    }
    const claimed = await this.#addresses.claim(canonical(ip), service, this.family)
    return claimed ? undefined : 'provided IP is already allocated'
  }

  /** undefined when all are taken. */
  async takeAny(service: ServiceName): Promise<string | undefined> {
    await this.#addresses.synced()
    const ip = await this.#takeFrom(await this.#ranges.known(this.family), service)
    if (ip !== undefined) return ip
    // What was given back a moment ago by another server, or ranges that it made, may not be known yet.
    await pause(systemClock, settleMilliseconds, { keepAlive: true })
    return this.#takeFrom(await this.#ranges.now(this.family), service)
  }

  /** As the original does, a dry run looks at the range alone. */
  async tryTake(ip: string): Promise<string | undefined> {
    const range = await this.#anyRange()
    if (range === undefined) return 'allocator not ready'
    return range.contains(ip)
      ? undefined
      : `the provided IP (${canonical(ip)}) is not in the valid range. The range of valid IPs is ${range.cidr}`
  }

  async placeholder(): Promise<string | undefined> {
    return (await this.#anyRange())?.placeholder
  }

  release(ip: string, service: ServiceName): Promise<void> {
    return this.#addresses.release(canonical(ip), service)
  }

  async #takeFrom(ranges: readonly IPRange[], service: ServiceName): Promise<string | undefined> {
    const slice = new TimeSlice(1000)
    for (const range of ranges) {
      for (const offset of searchOrder(range.size, range.band, this.#random)) {
        const wait = slice.pauseIfOver()
        if (wait !== undefined) await wait
        const ip = range.address(offset)
        // Another server may have been faster; then the next one is tried.
        if (this.#addresses.seemsFree(ip) && (await this.#addresses.claim(ip, service, this.family))) return ip
      }
    }
    return undefined
  }

  async #anyRange(): Promise<IPRange | undefined> {
    return (await this.#ranges.known(this.family))[0] ?? (await this.#ranges.now(this.family))[0]
  }
}

/** As it is named; for addresses that were validated. */
function canonical(ip: string): string {
  return formatIP(parseIP(ip)!)
}
