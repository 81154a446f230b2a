import { createResourceStorage } from '@keelson/registry'
import type { ResourceDefinition, RESTStorage } from '@keelson/registry'
import { coreResources } from '@keelson/resources-core'
import type { GenericConfig } from './build-generic-config.ts'

export interface LegacyRESTStorageOptions {
  /** How long events are kept. Default: as their definition says. */
  readonly eventTtlSeconds?: number
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
  const storage = new Map<string, RESTStorage>()
  for (const definition of definitions) {
    const made = createResourceStorage(definition, { restOptions: config.restOptionsGetter, types: config.types })
    for (const [path, rest] of made) storage.set(path, rest)
  }
  return { storage, definitions }
}

function keptFor(definition: ResourceDefinition, seconds: number): ResourceDefinition {
  return definition.kind === 'Event' ? { ...definition, ttlSeconds: () => seconds } : definition
}
