import type { Service } from '@keelson/api/core/v1'
import type { DeepReadonly } from '@keelson/apimachinery'
import type { FinishHook, StoreHooksFactory } from '@keelson/registry'
import { randomInt } from 'node:crypto'
import { needsHealthCheck, nodePortsOf, noClusterIP, specOf } from '../service-facts.ts'
import { familyOf } from '../validate-cluster-ips.ts'
import { Allocation } from './allocation.ts'
import type { Pools } from './allocation.ts'
import { carryOver, syncClusterIPs } from './carry-over.ts'
import { allocateClusterIPs, updateClusterIPs } from './cluster-ips.ts'
import { initIPFamilies } from './ip-families.ts'
import { IPPool } from './ip-pool.ts'
import { allocateNodePorts, updateNodePorts } from './node-ports.ts'
import type { Random } from './pool.ts'
import { parsePortRange, PortPool } from './port-pool.ts'

export interface ServiceHooksOptions {
  /** Where cluster addresses come from: a range, or one of each family with a comma between them; services get the first if they do not say. */
  readonly clusterIPRange: string
  /** Default 30000-32767. */
  readonly nodePortRange?: string
  readonly random?: Random
}

type ServiceStorage = Parameters<StoreHooksFactory<Service>>[0]

/**
 * Gives services their cluster addresses and node ports, and takes them back. Which are taken is known in memory alone, read from the stored
 * services before the first is given: a store that several servers write to needs another way. Throws for ranges that are none.
 */
export function createServiceHooks(options: ServiceHooksOptions): StoreHooksFactory<Service> {
  makePools(options)
  return (storage, prefix) => {
    const pools = lazily(() => loadPools(makePools(options), storage, prefix))
    const begin = async (
      service: Service,
      old: DeepReadonly<Service> | undefined,
      namespace: string,
      dryRun: boolean,
    ): Promise<FinishHook> => {
      service.spec ??= {}
      const owner = old?.metadata.uid ?? service.metadata.uid ?? ''
      const mayHaveFirst = isApiServer(namespace, service.metadata.name)
      const allocation = new Allocation(await pools(), { owner, dryRun, mayHaveFirst })
      try {
        allocate(service, old, allocation)
      } catch (error) {
        allocation.revert()
        throw error
      }
      return (success) => (success ? allocation.commit() : allocation.revert())
    }
    return {
      beginCreate: (context, service, { dryRun }) => begin(service, undefined, context.namespace, dryRun),
      beginUpdate: (context, service, old, { dryRun }) => begin(service, old, context.namespace, dryRun),
      async afterDelete(service) {
        // Pools that nothing was taken from yet will be read without it.
        const known = await pools.begun()?.catch(() => undefined)
        if (known !== undefined) release(known, service)
      },
    }
  }
}

/** All or nothing within one turn of the event loop: no other write comes in between. */
function allocate(service: Service, old: DeepReadonly<Service> | undefined, allocation: Allocation): void {
  if (old !== undefined) carryOver(service, old)
  syncClusterIPs(service, old)
  initIPFamilies(service, old, allocation.pools)
  if (old === undefined) {
    allocateClusterIPs(service, allocation)
    allocateNodePorts(service, allocation)
  } else {
    updateClusterIPs(service, old, allocation)
    updateNodePorts(service, old, allocation)
  }
}

function makePools({ clusterIPRange, nodePortRange = '30000-32767', random = (below) => randomInt(below) }: ServiceHooksOptions): Pools {
  const ranges = clusterIPRange.split(',').map((range) => range.trim())
  const ips = ranges.map((range, i) => new IPPool(range, { random, reserveFirst: i === 0 }))
  if (ips.length > 2) throw new Error('there may not be more than two ranges of addresses')
  if (ips[0]?.family === ips[1]?.family) throw new Error('two ranges of addresses must be of different families')
  return { ips: new Map(ips.map((pool) => [pool.family, pool])), ports: new PortPool(parsePortRange(nodePortRange), random) }
}

async function loadPools(pools: Pools, storage: ServiceStorage, prefix: string): Promise<Pools> {
  const { items } = await storage.list(prefix, { resourceVersion: '' })
  for (const item of items) {
    const service = item.object()
    const { uid = '', namespace = '', name } = service.metadata
    const taken = takenBy(service)
    for (const ip of taken.ips) pools.ips.get(familyOf(ip))?.take(ip, uid, isApiServer(namespace, name))
    for (const port of taken.ports) pools.ports.take(port, uid)
  }
  return pools
}

function release(pools: Pools, service: DeepReadonly<Service>): void {
  const { uid = '' } = service.metadata
  const taken = takenBy(service)
  for (const ip of taken.ips) pools.ips.get(familyOf(ip))?.release(ip, uid)
  for (const port of taken.ports) pools.ports.release(port, uid)
}

function takenBy(service: DeepReadonly<Service>): { readonly ips: readonly string[]; readonly ports: readonly number[] } {
  const spec = specOf(service)
  const { healthCheckNodePort = 0 } = spec
  return {
    ips: spec.type === 'ExternalName' ? [] : (spec.clusterIPs ?? []).filter((ip) => ip !== '' && ip !== noClusterIP),
    ports: needsHealthCheck(spec) && healthCheckNodePort !== 0 ? [...nodePortsOf(spec), healthCheckNodePort] : nodePortsOf(spec),
  }
}

function isApiServer(namespace: string, name: string | undefined): boolean {
  return namespace === 'default' && name === 'kubernetes'
}

interface Lazy<T> {
  (): Promise<T>
  /** undefined as long as nobody asked. */
  begun(): Promise<T> | undefined
}

/** Once; a failure is forgotten, so that the next caller tries again. */
function lazily<T>(make: () => Promise<T>): Lazy<T> {
  let made: Promise<T> | undefined
  const get = (): Promise<T> => {
    made ??= make().catch((error: unknown) => {
      made = undefined
      throw error
    })
    return made
  }
  return Object.assign(get, { begun: () => made })
}
