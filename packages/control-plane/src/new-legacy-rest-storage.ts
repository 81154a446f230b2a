import type { Service } from '@keelson/api/core/v1'
import type { ResourceDefinition, RESTStorage, StoreHooksFactory } from '@keelson/registry'
import { coreResources, createServiceHooks, tokenSubresource } from '@keelson/resources-core'
import { ConfigurationError } from './configuration-error.ts'
import type { GenericConfig } from './build-generic-config.ts'
import { newRESTStorage } from './new-rest-storage.ts'

export interface LegacyRESTStorageOptions {
  /** How long events are kept. Default: as their definition says. */
  readonly eventTtlSeconds?: number
  /** Default 10.0.0.0/24. */
  readonly serviceClusterIpRange?: string
  /** Default 30000-32767. */
  readonly serviceNodePortRange?: string
}

/** The stores of core/v1. */
export function newLegacyRESTStorage(config: GenericConfig, options: LegacyRESTStorageOptions = {}): Map<string, RESTStorage> {
  const { eventTtlSeconds } = options
  const definitions =
    eventTtlSeconds === undefined ? coreResources : coreResources.map((definition) => keptFor(definition, eventTtlSeconds))
  return newRESTStorage(config, definitions, {
    hooks: { services: serviceHooks(options) },
    subresources: { serviceaccounts: { token: tokenSubresource(config.authentication.serviceAccounts.subresource) } },
  })
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
