import type { Service } from '@keelson/api/core/v1'
import type { IPAddress } from '@keelson/api/networking/v1'
import { TimeSlice } from '@keelson/apimachinery'
import type { Clock, DeepReadonly } from '@keelson/apimachinery'
import { allocatedValues, familyOf } from '@keelson/resources-core'
import type { ReadonlyService } from '@keelson/resources-core'
import { belongsTo, isWellLabelled, parentOf } from '../allocation/claimed-addresses.ts'
import type { KnownObjects } from '../allocation/known-objects.ts'
import type { ServiceAllocators } from '../allocation/service-allocators.ts'

export interface RepairOptions {
  readonly allocators: ServiceAllocators
  readonly services: KnownObjects<Service>
  readonly clock: Clock
  /** Hears of what was wrong: repaired, or left for people to mend. */
  readonly report: (text: string) => void
}

type ReadonlyAddress = DeepReadonly<IPAddress>

/** A request takes no longer: an address without a service that is older was left by a crash. */
const requestMilliseconds = 60_000
/** An address is claimed before its service is refused because it is there already. */
const revertMilliseconds = 5_000

/** Brings services and IPAddress objects together again: each cluster address has one object, which names the service that has it. */
export class IPRepair {
  readonly #options: RepairOptions

  constructor(options: RepairOptions) {
    this.#options = options
  }

  /** Resolves to how long to wait for what may yet be under way, in milliseconds; undefined when there is nothing of the kind. */
  async run(): Promise<number | undefined> {
    const { allocators, services } = this.#options
    await Promise.all([services.synced(), allocators.addresses.synced()])
    const slice = new TimeSlice()
    for (const service of services.values()) {
      for (const ip of allocatedValues(service).ips) await this.#repairService(service, ip)
      await slice.pauseIfOver()
    }
    let wait = Number.POSITIVE_INFINITY
    for (const address of allocators.addresses.list()) {
      wait = Math.min(wait, (await this.#repairAddress(address)) ?? wait)
      await slice.pauseIfOver()
    }
    return Number.isFinite(wait) ? wait : undefined
  }

  async #repairService(service: ReadonlyService, ip: string): Promise<void> {
    const { allocators, report } = this.#options
    const { addresses } = allocators
    const owner = nameOf(service)
    const who = `the cluster IP ${ip} of service ${owner.namespace}/${owner.name}`
    const family = familyOf(ip)
    const ranges = await allocators.ranges.known(family)
    if (!ranges.some((range) => range.contains(ip))) return report(`${who} is not within any service CIDR; please recreate the service`)
    const address = addresses.get(ip)
    if (address !== undefined && belongsTo(address, owner) && isWellLabelled(address, family)) return
    if (address !== undefined && !belongsTo(address, owner) && (await this.#hasOwner(address))) {
      return report(`${who} was assigned to another service too; please recreate one of them`)
    }
    // What is known may be late: the service may have gone.
    if (!(await this.#has(owner.namespace, owner.name, ip))) return
    report(`${who} is not allocated; repairing`)
    if (address !== undefined) await addresses.remove(ip, ({ metadata }) => metadata.uid === address.metadata.uid)
    await addresses.claim(ip, owner, family)
  }

  async #repairAddress(address: ReadonlyAddress): Promise<number | undefined> {
    const { allocators, services, clock, report } = this.#options
    const { name: ip = '', creationTimestamp } = address.metadata
    const parent = parentOf(address)
    const service = parent && services.get(parent.namespace, parent.name)
    if (service !== undefined && allocatedValues(service).ips.includes(ip)) return undefined
    const age = clock.now() - Date.parse(creationTimestamp ?? '')
    const grace = parent === undefined ? 0 : graceFor(address, service)
    if (age < grace) return grace - age
    if (parent !== undefined && (await this.#has(parent.namespace, parent.name, ip))) return undefined
    report(`the address ${ip} is no service's, and appears to have leaked; cleaning up`)
    await allocators.addresses.remove(ip, ({ metadata }) => metadata.uid === address.metadata.uid)
    return undefined
  }

  #hasOwner(address: ReadonlyAddress): Promise<boolean> | boolean {
    const parent = parentOf(address)
    return parent !== undefined && this.#has(parent.namespace, parent.name, address.metadata.name ?? '')
  }

  /** As the store knows it. */
  async #has(namespace: string, name: string, ip: string): Promise<boolean> {
    const service = await this.#options.services.api.get(namespace, name, { resourceVersion: '' })
    return service !== undefined && allocatedValues(service).ips.includes(ip)
  }
}

/** A service that is about to be made, or to get an address, has it already. */
function graceFor(address: ReadonlyAddress, service: ReadonlyService | undefined): number {
  if (service === undefined || service.spec?.type === 'ExternalName') return requestMilliseconds
  return (address.metadata.creationTimestamp ?? '') > (service.metadata.creationTimestamp ?? '') ? revertMilliseconds : 0
}

function nameOf({ metadata: { namespace = '', name = '' } }: ReadonlyService): { namespace: string; name: string } {
  return { namespace, name }
}
