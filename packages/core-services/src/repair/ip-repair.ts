import type { Service } from '@keelson/api/core/v1'
import type { IPAddress } from '@keelson/api/networking/v1'
import { TimeSlice } from '@keelson/apimachinery'
import type { Clock, DeepReadonly } from '@keelson/apimachinery'
import { getAllocatedValues, getFamily } from '@keelson/resources-core'
import type { ReadonlyService } from '@keelson/resources-core'
import { belongsTo, hasCorrectLabels, getParent } from '../allocation/claimed-addresses.ts'
import type { CachedObjects } from '../allocation/cached-objects.ts'
import type { ServiceAllocators } from '../allocation/service-allocators.ts'

export interface RepairOptions {
  readonly allocators: ServiceAllocators
  readonly services: CachedObjects<Service>
  readonly clock: Clock
  /** Called for each problem, even if it was repaired. */
  readonly report: (text: string) => void
}

type ReadonlyAddress = DeepReadonly<IPAddress>

/** Maximum duration of a request in milliseconds. An address without a service that is older was leaked by a crash. */
const requestMilliseconds = 60_000
/** Time in milliseconds in which a failed create of an existing service releases its address again. */
const revertMilliseconds = 5_000

/** Reconciles services with IPAddress objects. Each cluster address must have one object that refers to its service. */
export class IPRepair {
  readonly #options: RepairOptions

  constructor(options: RepairOptions) {
    this.#options = options
  }

  /**
   * Runs one repair. Resolves to the delay in milliseconds after which addresses of unfinished requests must be checked again; undefined if
   * there are none.
   */
  async run(): Promise<number | undefined> {
    const { allocators, services } = this.#options
    await Promise.all([services.synced(), allocators.addresses.synced()])
    const slice = new TimeSlice()
    for (const service of services.values()) {
      for (const ip of getAllocatedValues(service).ips) await this.#repairService(service, ip)
      await slice.pauseIfOver()
    }
    let shortestWait = Number.POSITIVE_INFINITY
    for (const address of allocators.addresses.list()) {
      shortestWait = Math.min(shortestWait, (await this.#repairAddress(address)) ?? shortestWait)
      await slice.pauseIfOver()
    }
    return Number.isFinite(shortestWait) ? shortestWait : undefined
  }

  async #repairService(service: ReadonlyService, ip: string): Promise<void> {
    const { allocators, report } = this.#options
    const { addresses } = allocators
    const owner = readName(service)
    const subject = `the cluster IP ${ip} of service ${owner.namespace}/${owner.name}`
    const family = getFamily(ip)
    const ranges = await allocators.ranges.cached(family)
    if (!ranges.some((range) => range.contains(ip))) return report(`${subject} is not within any service CIDR; please recreate the service`)
    const address = addresses.get(ip)
    if (address !== undefined && belongsTo(address, owner) && hasCorrectLabels(address, family)) return
    if (address !== undefined && !belongsTo(address, owner) && (await this.#hasOwner(address))) {
      return report(`${subject} was assigned to another service too; please recreate one of them`)
    }
    // The cache may be stale: the service may have been deleted.
    if (!(await this.#ownsInStore(owner.namespace, owner.name, ip))) return
    report(`${subject} is not allocated; repairing`)
    if (address !== undefined) await addresses.remove(ip, ({ metadata }) => metadata.uid === address.metadata.uid)
    await addresses.claim(ip, owner, family)
  }

  async #repairAddress(address: ReadonlyAddress): Promise<number | undefined> {
    const { allocators, services, clock, report } = this.#options
    const { name: ip = '', creationTimestamp } = address.metadata
    const parent = getParent(address)
    const service = parent && services.get(parent.namespace, parent.name)
    if (service !== undefined && getAllocatedValues(service).ips.includes(ip)) return undefined
    const age = clock.now() - Date.parse(creationTimestamp ?? '')
    const grace = parent === undefined ? 0 : computeGrace(address, service)
    if (age < grace) return grace - age
    if (parent !== undefined && (await this.#ownsInStore(parent.namespace, parent.name, ip))) return undefined
    report(`the address ${ip} belongs to no service and appears to have leaked; cleaning up`)
    await allocators.addresses.remove(ip, ({ metadata }) => metadata.uid === address.metadata.uid)
    return undefined
  }

  #hasOwner(address: ReadonlyAddress): Promise<boolean> | boolean {
    const parent = getParent(address)
    return parent !== undefined && this.#ownsInStore(parent.namespace, parent.name, address.metadata.name ?? '')
  }

  /** True if the stored service has the address. */
  async #ownsInStore(namespace: string, name: string, ip: string): Promise<boolean> {
    const service = await this.#options.services.api.get(namespace, name, { resourceVersion: '' })
    return service !== undefined && getAllocatedValues(service).ips.includes(ip)
  }
}

/** Returns the grace period in which an address may have no service. Addresses are claimed before their service is written. */
function computeGrace(address: ReadonlyAddress, service: ReadonlyService | undefined): number {
  if (service === undefined || service.spec?.type === 'ExternalName') return requestMilliseconds
  return (address.metadata.creationTimestamp ?? '') > (service.metadata.creationTimestamp ?? '') ? revertMilliseconds : 0
}

function readName({ metadata: { namespace = '', name = '' } }: ReadonlyService): { namespace: string; name: string } {
  return { namespace, name }
}
