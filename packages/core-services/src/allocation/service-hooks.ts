import type { Service } from '@keelson/api/core/v1'
import type { DeepReadonly } from '@keelson/apimachinery'
import type { FinishHook, StoreHooksFactory } from '@keelson/registry'
import { getFamily, getAllocatedValues } from '@keelson/resources-core'
import { Allocation } from './allocation.ts'
import { keepAllocatedValues, syncClusterIPs } from './keep-allocated-values.ts'
import { allocateClusterIPs, updateClusterIPs } from './cluster-ips.ts'
import { initIPFamilies } from './ip-families.ts'
import { allocateNodePorts, updateNodePorts } from './node-ports.ts'
import type { ServiceAllocators } from './service-allocators.ts'

/**
 * Store hooks that allocate and release cluster addresses and node ports of services. Values are allocated before the service is written and
 * released if the write fails; `ServiceRepair` cleans up after a crash in between.
 */
export function createServiceHooks(allocators: ServiceAllocators): StoreHooksFactory<Service> {
  const beginAllocation = async (
    service: Service,
    old: DeepReadonly<Service> | undefined,
    { namespace, dryRun }: { readonly namespace: string; readonly dryRun: boolean },
  ): Promise<FinishHook> => {
    service.spec ??= {}
    const allocation = new Allocation(allocators, { service: { namespace, name: service.metadata.name ?? '' }, dryRun })
    try {
      await allocate(service, old, allocation)
    } catch (error) {
      await allocation.revert()
      throw error
    }
    return (success) => (success ? allocation.commit() : allocation.revert())
  }
  return () => ({
    beginCreate: ({ namespace }, service, { dryRun }) => beginAllocation(service, undefined, { namespace, dryRun }),
    beginUpdate: ({ namespace }, service, old, { dryRun }) => beginAllocation(service, old, { namespace, dryRun }),
    async afterDelete(service) {
      const { namespace = '', name = '' } = service.metadata
      const { ips, ports } = getAllocatedValues(service)
      const releases = ips.map((ip) => allocators.ips.get(getFamily(ip))?.release(ip, { namespace, name }))
      await Promise.all([...releases, allocators.ports.release(ports)])
    },
  })
}

async function allocate(service: Service, old: DeepReadonly<Service> | undefined, allocation: Allocation): Promise<void> {
  if (old !== undefined) keepAllocatedValues(service, old)
  syncClusterIPs(service, old)
  initIPFamilies(service, old, [...allocation.allocators.ips.keys()])
  if (old === undefined) {
    await allocateClusterIPs(service, allocation)
    await allocateNodePorts(service, allocation)
  } else {
    await updateClusterIPs(service, old, allocation)
    await updateNodePorts(service, old, allocation)
  }
}
