import type { RangeAllocation } from '@keelson/api/core/v1'
import type { IPAddress, ServiceCIDR } from '@keelson/api/networking/v1'
import type { LoopbackClient } from '@keelson/loopback'
import type { Storage } from '@keelson/storagebackend'
import { randomInt } from 'node:crypto'
import type { Random } from './band.ts'
import { ClaimedAddresses } from './claimed-addresses.ts'
import { IPAllocator } from './ip-allocator.ts'
import { parseIPRanges } from './ip-range.ts'
import type { Family } from './ip-range.ts'
import { KnownObjects } from './known-objects.ts'
import { PortAllocator } from './port-allocator.ts'
import { parsePortRange } from './port-range.ts'
import { ServiceRanges } from './service-ranges.ts'

export interface ServiceAllocatorsOptions {
  /** The cluster's families of addresses, by a range of each; services get the first if they do not say. Default 10.0.0.0/24. */
  readonly clusterIPRange?: string
  /** Default 30000-32767. */
  readonly nodePortRange?: string
  /** Addresses are IPAddress objects, their ranges ServiceCIDR objects: written and read through this. */
  readonly client: LoopbackClient
  /** The RangeAllocation of node ports. */
  readonly nodePorts: { readonly storage: Storage<RangeAllocation>; readonly key: string }
  readonly random?: Random
  /** Hears of failed watches. */
  readonly onError: (error: unknown) => void
}

/** What services are given, and where that is written down: in the store, which every server on it asks. */
export interface ServiceAllocators extends AsyncDisposable {
  /** By family; the first is the one that services get when they do not say. */
  readonly ips: ReadonlyMap<Family, IPAllocator>
  readonly ports: PortAllocator
  readonly addresses: ClaimedAddresses
  readonly ranges: ServiceRanges
}

export const defaultClusterIPRange = '10.0.0.0/24'

const group = 'networking.k8s.io'

/** Throws for ranges that are none. */
export function createServiceAllocators(options: ServiceAllocatorsOptions): ServiceAllocators {
  const { client, nodePorts, nodePortRange = '30000-32767', random = (below) => randomInt(below), onError } = options
  const families = parseIPRanges(options.clusterIPRange ?? defaultClusterIPRange).map(({ family }) => family)
  const cidrs = new KnownObjects<ServiceCIDR>({ client, resource: { group, resource: 'servicecidrs' }, onError })
  let known: KnownObjects<IPAddress> | undefined
  const addresses = new ClaimedAddresses(
    (onChange) => (known = new KnownObjects<IPAddress>({ client, resource: { group, resource: 'ipaddresses' }, onError, onChange })),
  )
  const ranges = new ServiceRanges(cidrs)
  return {
    ips: new Map(families.map((family) => [family, new IPAllocator(family, { ranges, addresses, random })])),
    ports: new PortAllocator({ ...nodePorts, range: parsePortRange(nodePortRange), random }),
    addresses,
    ranges,
    async [Symbol.asyncDispose]() {
      await Promise.all([cidrs[Symbol.asyncDispose](), known?.[Symbol.asyncDispose]()])
    },
  }
}
