import type { KubeObject } from '@keelson/apimachinery'
import { createResourceStorage } from '@keelson/registry'
import type { ResourceDefinition, ResourceStorageOptions, RESTStorage, StoreHooksFactory, SubresourceFactory } from '@keelson/registry'
import type { GenericConfig } from './build-generic-config.ts'

/** What some resources need beyond their definitions, by plural. */
export interface RESTStorageParts {
  readonly hooks?: Readonly<Record<string, StoreHooksFactory<KubeObject>>>
  readonly subresources?: Readonly<Record<string, Readonly<Record<string, SubresourceFactory>>>>
}

/** Path ("pods", "pods/status") → what serves it, each resource on the storage that `config.restOptionsGetter` gives it. */
export function newRESTStorage(
  config: GenericConfig,
  definitions: readonly ResourceDefinition[],
  { hooks = {}, subresources = {} }: RESTStorageParts = {},
): Map<string, RESTStorage> {
  const storage = new Map<string, RESTStorage>()
  for (const definition of definitions) {
    const { plural } = definition
    const options: ResourceStorageOptions = {
      restOptions: config.restOptionsGetter,
      types: config.types,
      ...(hooks[plural] && { hooks: hooks[plural] }),
      ...(subresources[plural] && { subresources: subresources[plural] }),
    }
    for (const [path, rest] of createResourceStorage(definition, options)) storage.set(path, rest)
  }
  return storage
}
