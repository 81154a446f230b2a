import type { Endpoints, Node, Pod, Service } from '@keelson/api/core/v1'
import { createServiceHooks, createKubeletSubresources } from '@keelson/core-services'
import type { KubeletOptions, ServiceAllocators } from '@keelson/core-services'
import type { LoopbackClient } from '@keelson/loopback'
import { newRESTStorage } from '@keelson/registry'
import type { DialRemote, RESTStorage, Store } from '@keelson/registry'
import {
  createBindings,
  createBindingSubresource,
  createComponentStatuses,
  core,
  createEvictionSubresource,
  createTokenSubresource,
} from '@keelson/resources-core'
import { checkComponentOnPort, checkStore } from './component-checks.ts'
import type { GenericConfig } from './build-generic-config.ts'
import { createDisruptionBudgets } from './disruption-budgets.ts'

export interface LegacyRESTStorageOptions {
  /** Allocates the addresses and ports of services. Default: services are stored with the values that clients send. */
  readonly allocators?: ServiceAllocators
  /** Client for reading the PodDisruptionBudgets that evictions must respect. Default: evictions check no budgets. */
  readonly client?: LoopbackClient
  /** Options of connections to kubelets, for logs, exec and proxies. */
  readonly kubelet?: KubeletOptions
}

/** Creates the REST storages of core/v1. */
export function newLegacyRESTStorage(config: GenericConfig, options: LegacyRESTStorageOptions = {}): Map<string, RESTStorage> {
  const readClock = (): number => config.clock.now()
  const { client, allocators, kubelet } = options
  const storage = newRESTStorage({ restOptions: config.restOptionsGetter, types: config.types }, core.resources, {
    ...(allocators && { hooks: { services: createServiceHooks(allocators) } }),
    subresources: {
      pods: {
        binding: createBindingSubresource,
        eviction: createEvictionSubresource({ now: readClock, ...(client && { budgets: createDisruptionBudgets(client) }) }),
      },
      serviceaccounts: { token: createTokenSubresource({ ...config.authentication.serviceAccounts.subresource, now: readClock }) },
    },
  })
  const dialCluster: DialRemote = (destination, signal) => config.egress.dial(destination, { network: 'cluster', signal })
  const pods = storage.get('pods') as Store<Pod>
  storage.set('bindings', createBindings(pods))
  const reachable = {
    pods,
    nodes: storage.get('nodes') as Store<Node>,
    services: storage.get('services') as Store<Service>,
    endpoints: storage.get('endpoints') as Store<Endpoints>,
  }
  for (const [path, rest] of createKubeletSubresources(reachable, { ...kubelet, dial: dialCluster })) storage.set(path, rest)
  storage.set(
    'componentstatuses',
    createComponentStatuses({
      'controller-manager': checkComponentOnPort(10257),
      scheduler: checkComponentOnPort(10259),
      'etcd-0': checkStore(config),
    }),
  )
  return storage
}
