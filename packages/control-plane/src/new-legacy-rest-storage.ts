import type { Pod, Service } from '@keelson/api/core/v1'
import type { LoopbackClient } from '@keelson/loopback'
import { scaleSubresource } from '@keelson/registry'
import type { ResourceDefinition, RESTStorage, Store, StoreHooksFactory } from '@keelson/registry'
import {
  bindings,
  bindingSubresource,
  componentStatuses,
  coreResources,
  createServiceHooks,
  evictionSubresource,
  scaledReplicationControllers,
  tokenSubresource,
} from '@keelson/resources-core'
import { componentOnPort, storeComponent } from './component-checks.ts'
import { ConfigurationError } from './configuration-error.ts'
import type { GenericConfig } from './build-generic-config.ts'
import { disruptionBudgets } from './disruption-budgets.ts'
import { newRESTStorage } from './new-rest-storage.ts'

export interface LegacyRESTStorageOptions {
  /** How long events are kept. Default: as their definition says. */
  readonly eventTtlSeconds?: number
  /** Default 10.0.0.0/24. */
  readonly serviceClusterIpRange?: string
  /** Default 30000-32767. */
  readonly serviceNodePortRange?: string
  /** Reads the disruption budgets that evictions ask. Default: there are none. */
  readonly client?: LoopbackClient
}

/** The stores of core/v1. */
export function newLegacyRESTStorage(config: GenericConfig, options: LegacyRESTStorageOptions = {}): Map<string, RESTStorage> {
  const { eventTtlSeconds, client } = options
  const definitions =
    eventTtlSeconds === undefined ? coreResources : coreResources.map((definition) => keptFor(definition, eventTtlSeconds))
  const storage = newRESTStorage(config, definitions, {
    hooks: { services: serviceHooks(options) },
    subresources: {
      pods: { binding: bindingSubresource, eviction: evictionSubresource(client ? { budgets: disruptionBudgets(client) } : {}) },
      replicationcontrollers: { scale: scaleSubresource(scaledReplicationControllers) },
      serviceaccounts: { token: tokenSubresource(config.authentication.serviceAccounts.subresource) },
    },
  })
  storage.set('bindings', bindings(storage.get('pods') as Store<Pod>))
  storage.set(
    'componentstatuses',
    componentStatuses({
      'controller-manager': componentOnPort(10257),
      scheduler: componentOnPort(10259),
      'etcd-0': storeComponent(config),
    }),
  )
  return storage
}

function serviceHooks({
  serviceClusterIpRange = '10.0.0.0/24',
  serviceNodePortRange,
}: LegacyRESTStorageOptions): StoreHooksFactory<Service> {
  try {
    return createServiceHooks({
      clusterIPRange: serviceClusterIpRange,
      ...(serviceNodePortRange === undefined ? {} : { nodePortRange: serviceNodePortRange }),
    })
  } catch (error) {
    throw new ConfigurationError(`services cannot be given addresses and ports: ${(error as Error).message}`, { cause: error })
  }
}

function keptFor(definition: ResourceDefinition, seconds: number): ResourceDefinition {
  return definition.kind === 'Event' ? { ...definition, ttlSeconds: () => seconds } : definition
}
