import type { RangeAllocation } from '@keelson/api/core/v1'
import type { IPAddress, ServiceCIDR } from '@keelson/api/networking/v1'
import type { LoopbackClient } from '@keelson/loopback'
import type { Storage } from '@keelson/storagebackend'
import { randomInt } from 'node:crypto'
import type { Random } from './static-band.ts'
import { ClaimedAddresses } from './claimed-addresses.ts'
import { IPAllocator } from './ip-allocator.ts'
import { parseIPRanges } from './ip-range.ts'
import type { Family } from './ip-range.ts'
import { CachedObjects } from './cached-objects.ts'
import { PortAllocator } from './port-allocator.ts'
import { parsePortRange } from './port-range.ts'
import { ServiceRanges } from './service-ranges.ts'
import { defaultClusterIPRange, defaultNodePortRange } from './range-defaults.ts'

export interface ServiceAllocatorsOptions {
  /** Service CIDRs, at most one per IP family; the first is the default family. Default: `defaultClusterIPRange`. */
  readonly clusterIPRange?: string
  /** Range of node ports. Default: `defaultNodePortRange`. */
  readonly nodePortRange?: string
  /** Client for IPAddress and ServiceCIDR objects. */
  readonly client: LoopbackClient
  /** Storage of the RangeAllocation of node ports. */
  readonly nodePorts: { readonly storage: Storage<RangeAllocation>; readonly key: string }
  readonly random?: Random
  /** Called when a watch fails. */
  readonly onError: (error: unknown) => void
}

/** Allocators of service addresses and node ports. Their state is in the store, shared by all servers. */
export interface ServiceAllocators extends AsyncDisposable {
  /** Allocators by family; the first is the default family. */
  readonly ips: ReadonlyMap<Family, IPAllocator>
  readonly ports: PortAllocator
  readonly addresses: ClaimedAddresses
  readonly ranges: ServiceRanges
}

const group = 'networking.k8s.io'

/** Creates the allocators of a server. Throws for invalid ranges. */
export function createServiceAllocators(options: ServiceAllocatorsOptions): ServiceAllocators {
  const { client, nodePorts, nodePortRange = defaultNodePortRange, random = (below) => randomInt(below), onError } = options
  const families = parseIPRanges(options.clusterIPRange ?? defaultClusterIPRange).map(({ family }) => family)
  const cidrs = new CachedObjects<ServiceCIDR>({ client, resource: { group, resource: 'servicecidrs' }, onError })
  let cachedAddresses: CachedObjects<IPAddress> | undefined
  const addresses = new ClaimedAddresses(
    (onChange) =>
      (cachedAddresses = new CachedObjects<IPAddress>({ client, resource: { group, resource: 'ipaddresses' }, onError, onChange })),
  )
  const ranges = new ServiceRanges(cidrs)
  return {
    ips: new Map(families.map((family) => [family, new IPAllocator(family, { ranges, addresses, random })])),
    ports: new PortAllocator({ ...nodePorts, range: parsePortRange(nodePortRange), random }),
    addresses,
    ranges,
    async [Symbol.asyncDispose]() {
      await Promise.all([cidrs[Symbol.asyncDispose](), cachedAddresses?.[Symbol.asyncDispose]()])
    },
  }
}
