import type { KubeObject } from '@keelson/apimachinery'
import type { StorageHost } from './api-group.ts'
import { createResourceStorage } from './create-resource-storage.ts'
import type { ResourceStorageOptions, SubresourceFactory } from './create-resource-storage.ts'
import type { ResourceDefinition } from './resource-definition.ts'
import type { RESTStorage } from './rest.ts'
import type { StoreHooksFactory } from './write/store-hooks.ts'

/** Further dependencies of resources, by plural. */
export interface RESTStorageParts {
  readonly hooks?: Readonly<Record<string, StoreHooksFactory<KubeObject>>>
  readonly subresources?: Readonly<Record<string, Readonly<Record<string, SubresourceFactory>>>>
}

/** Path ("pods", "pods/status") → what serves it, each resource on the storage that `restOptions` gives it. */
export function newRESTStorage(
  { restOptions, types }: Pick<StorageHost, 'restOptions' | 'types'>,
  definitions: readonly ResourceDefinition[],
  { hooks = {}, subresources = {} }: RESTStorageParts = {},
): Map<string, RESTStorage> {
  const storage = new Map<string, RESTStorage>()
  for (const definition of definitions) {
    const { plural } = definition
    const options: ResourceStorageOptions = {
      restOptions,
      types,
      ...(hooks[plural] && { hooks: hooks[plural] }),
      ...(subresources[plural] && { subresources: subresources[plural] }),
    }
    for (const [path, rest] of createResourceStorage(definition, options)) storage.set(path, rest)
  }
  return storage
}
