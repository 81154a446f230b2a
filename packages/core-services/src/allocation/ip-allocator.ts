import { pause, systemClock, TimeSlice } from '@keelson/apimachinery'
import { formatIP, parseIP } from '@keelson/resources-core'
import { searchOrder } from './static-band.ts'
import type { Random } from './static-band.ts'
import type { ClaimedAddresses, ServiceName } from './claimed-addresses.ts'
import type { Family, IPRange } from './ip-range.ts'
import type { ServiceRanges } from './service-ranges.ts'

/** Time in milliseconds after which the caches of healthy servers contain a change of the store. */
const settleMilliseconds = 100

/** Allocates service addresses of one family from all its ranges. */
export class IPAllocator {
  readonly family: Family
  readonly #ranges: ServiceRanges
  readonly #addresses: ClaimedAddresses
  readonly #random: Random

  constructor(
    family: Family,
    dependencies: { readonly ranges: ServiceRanges; readonly addresses: ClaimedAddresses; readonly random: Random },
  ) {
    this.family = family
    this.#ranges = dependencies.ranges
    this.#addresses = dependencies.addresses
    this.#random = dependencies.random
  }

  /** Allocates an address. Returns an error message if that is not possible. */
  async take(ip: string, service: ServiceName): Promise<string | undefined> {
    const isInAnyRange = (ranges: readonly IPRange[]): boolean => ranges.some((range) => range.contains(ip))
    if (!isInAnyRange(await this.#ranges.cached(this.family)) && !isInAnyRange(await this.#ranges.read(this.family))) {
      return 'the provided network does not match the current range'
    }
    const claimed = await this.#addresses.claim(canonicalizeIP(ip), service, this.family)
    return claimed ? undefined : 'provided IP is already allocated'
  }

  /** Allocates any free address. Returns undefined if all ranges are full. */
  async takeAny(service: ServiceName): Promise<string | undefined> {
    await this.#addresses.synced()
    const ip = await this.#takeFrom(await this.#ranges.cached(this.family), service)
    if (ip !== undefined) return ip
    // The cache may not yet contain changes of another server: released addresses, new ranges.
    await pause(systemClock, settleMilliseconds, { keepAlive: true })
    return this.#takeFrom(await this.#ranges.read(this.family), service)
  }

  /** Checks an address for a dry run. Like in kube-apiserver, the only check is whether the address is in a range. */
  async tryTake(ip: string): Promise<string | undefined> {
    const range = await this.#findRange()
    if (range === undefined) return 'allocator not ready'
    return range.contains(ip)
      ? undefined
      : `the provided IP (${canonicalizeIP(ip)}) is not in the valid range. The range of valid IPs is ${range.cidr}`
  }

  async placeholder(): Promise<string | undefined> {
    return (await this.#findRange())?.placeholder
  }

  release(ip: string, service: ServiceName): Promise<void> {
    return this.#addresses.release(canonicalizeIP(ip), service)
  }

  async #takeFrom(ranges: readonly IPRange[], service: ServiceName): Promise<string | undefined> {
    const slice = new TimeSlice(1000)
    for (const range of ranges) {
      for (const offset of searchOrder(range.size, range.band, this.#random)) {
        const wait = slice.pauseIfOver()
        if (wait !== undefined) await wait
        const ip = range.address(offset)
        // If another server has claimed the address in the meantime, the loop tries the next one.
        if (this.#addresses.seemsFree(ip) && (await this.#addresses.claim(ip, service, this.family))) return ip
      }
    }
    return undefined
  }

  async #findRange(): Promise<IPRange | undefined> {
    return (await this.#ranges.cached(this.family))[0] ?? (await this.#ranges.read(this.family))[0]
  }
}

/** Returns the canonical text of a valid address, which is the name of its IPAddress object. */
function canonicalizeIP(ip: string): string {
  return formatIP(parseIP(ip)!)
}
