import type { Service } from '@keelson/api/core/v1'
import type { KubeObject } from '@keelson/apimachinery'
import { createResourceStorage } from '@keelson/registry'
import type { ResourceDefinition, RESTStorage, StoreHooksFactory } from '@keelson/registry'
import { coreResources, createServiceHooks } from '@keelson/resources-core'
import { ConfigurationError } from './configuration-error.ts'
import type { GenericConfig } from './build-generic-config.ts'

export interface LegacyRESTStorageOptions {
  /** How long events are kept. Default: as their definition says. */
  readonly eventTtlSeconds?: number
  /** Default 10.0.0.0/24. */
  readonly serviceClusterIpRange?: string
  /** Default 30000-32767. */
  readonly serviceNodePortRange?: string
}

export interface LegacyRESTStorage {
  /** Path ("pods", "pods/status") → what serves it under `/api/v1`. */
  readonly storage: ReadonlyMap<string, RESTStorage>
  readonly definitions: readonly ResourceDefinition[]
}

/** The stores of core/v1, each on the storage that `config.restOptionsGetter` gives it. */
export function newLegacyRESTStorage(config: GenericConfig, options: LegacyRESTStorageOptions = {}): LegacyRESTStorage {
  const { eventTtlSeconds } = options
  const definitions =
    eventTtlSeconds === undefined ? coreResources : coreResources.map((definition) => keptFor(definition, eventTtlSeconds))
  const hooks: Readonly<Record<string, StoreHooksFactory<KubeObject>>> = {
    services: serviceHooks(options),
  }
  const storage = new Map<string, RESTStorage>()
  for (const definition of definitions) {
    const made = createResourceStorage(definition, {
      restOptions: config.restOptionsGetter,
      types: config.types,
      ...(hooks[definition.plural] && { hooks: hooks[definition.plural]! }),
    })
    for (const [path, rest] of made) storage.set(path, rest)
  }
  return { storage, definitions }
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
