import type { KubeObject } from '@keelson/apimachinery'
import { completeWithOptions } from './store-dependencies.ts'
import type { StoreOptions, StoreHooksFactory } from './store-dependencies.ts'
import type { ResourceDefinition } from './resource-definition.ts'
import type { RESTStorage } from './rest.ts'
import { createScaleSubresource } from './scale-subresource.ts'
import { Store } from './store.ts'
import type { StorageHost } from './api-group.ts'

/** Creates the store of a resource, without its subresources. */
export function createStore<T extends KubeObject>(definition: ResourceDefinition<T>, options: StoreOptions<T>): Store<T> {
  return new Store(completeWithOptions(definition, options))
}

/** Creates the storage of a subresource that needs its own code: its bodies have another kind, or it has other verbs (pods/binding). */
export type SubresourceFactory<T extends KubeObject = KubeObject> = (store: Store<T>) => RESTStorage

/** The options of a resource's storages. */
export interface ResourceStorageOptions<T extends KubeObject = KubeObject> extends StoreOptions<T> {
  /** Factories of the subresources that need their own code, with the subresource's name ("binding") as the key. Default: none. */
  readonly subresources?: Readonly<Record<string, SubresourceFactory<T>>>
}

/**
 * Creates the storages of a resource and its subresources, with the path of each ("pods", "pods/status") as the key. All of them use one
 * `Storage`.
 */
export function createResourceStorage<T extends KubeObject>(
  definition: ResourceDefinition<T>,
  options: ResourceStorageOptions<T>,
): Map<string, RESTStorage> {
  const store = createStore(definition, options)
  const paths = new Map<string, RESTStorage>([[definition.plural, omitExcludedVerbs(store)]])
  for (const [name, strategy] of Object.entries(definition.subresources ?? {}))
    paths.set(`${definition.plural}/${name}`, store.subresource(strategy))
  if (definition.scale !== undefined) paths.set(`${definition.plural}/scale`, createScaleSubresource(definition.scale)(store))
  for (const [name, create] of Object.entries(options.subresources ?? {})) paths.set(`${definition.plural}/${name}`, create(store))
  return paths
}

const methods = {
  create: 'create',
  update: 'update',
  delete: 'delete',
  deletecollection: 'deleteCollection',
  list: 'list',
  watch: 'watch',
} as const

/**
 * Returns the store without the verbs that the definition excludes. A storage has a verb if it has the method of the verb, so excluded
 * methods are set to undefined.
 */
function omitExcludedVerbs<T extends KubeObject>(store: Store<T>): RESTStorage {
  for (const verb of store.definition.withoutVerbs ?? []) {
    if (verb !== 'patch') Object.defineProperty(store, methods[verb], { value: undefined })
  }
  return store
}

/** Hooks and additional subresources of a group's resources, with the plural name of the resource as the key. */
export interface RESTStorageExtensions {
  readonly hooks?: Readonly<Record<string, StoreHooksFactory<KubeObject>>>
  readonly subresources?: Readonly<Record<string, Readonly<Record<string, SubresourceFactory>>>>
}

/** Creates the storages of all resources and subresources of a group, with the path of each ("pods", "pods/status") as the key. */
export function newRESTStorage(
  { restOptions, types }: Pick<StorageHost, 'restOptions' | 'types'>,
  definitions: readonly ResourceDefinition[],
  { hooks = {}, subresources = {} }: RESTStorageExtensions = {},
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
