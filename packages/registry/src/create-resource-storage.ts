import type { KubeObject } from '@keelson/apimachinery'
import { completeWithOptions } from './store-dependencies.ts'
import type { StoreOptions, StoreHooksFactory } from './store-dependencies.ts'
import type { ResourceDefinition } from './resource-definition.ts'
import type { RESTStorage } from './rest.ts'
import { scaleSubresource } from './scale-subresource.ts'
import { Store } from './store.ts'
import type { StorageHost } from './api-group.ts'

/** Creates the store of a resource, without its subresources. */
export function createStore<T extends KubeObject>(definition: ResourceDefinition<T>, options: StoreOptions<T>): Store<T> {
  return new Store(completeWithOptions(definition, options))
}

/** Creates a subresource that needs code: another kind in its bodies, or its own verbs (pods/binding). */
export type SubresourceFactory<T extends KubeObject = KubeObject> = (store: Store<T>) => RESTStorage

/** The options of a resource's storages. */
export interface ResourceStorageOptions<T extends KubeObject = KubeObject> extends StoreOptions<T> {
  /** Subresources that need code, by name ("binding"). Default: none. */
  readonly subresources?: Readonly<Record<string, SubresourceFactory<T>>>
}

/** Creates the storages of all paths of a resource ("pods", "pods/status"). They share one `Storage`. */
export function createResourceStorage<T extends KubeObject>(
  definition: ResourceDefinition<T>,
  options: ResourceStorageOptions<T>,
): Map<string, RESTStorage> {
  const store = createStore(definition, options)
  const paths = new Map<string, RESTStorage>([[definition.plural, withoutVerbs(store)]])
  for (const [name, strategy] of Object.entries(definition.subresources ?? {}))
    paths.set(`${definition.plural}/${name}`, store.subresource(strategy))
  if (definition.scale !== undefined) paths.set(`${definition.plural}/scale`, scaleSubresource(definition.scale)(store))
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

/** Hides verbs of the definition's `withoutVerbs`: a verb exists if its method does, so the instance gets an undefined member. */
function withoutVerbs<T extends KubeObject>(store: Store<T>): RESTStorage {
  for (const verb of store.definition.withoutVerbs ?? []) {
    if (verb !== 'patch') Object.defineProperty(store, methods[verb], { value: undefined })
  }
  return store
}

/** Hooks and extra subresources of a group's resources, by plural. */
export interface RESTStorageExtensions {
  readonly hooks?: Readonly<Record<string, StoreHooksFactory<KubeObject>>>
  readonly subresources?: Readonly<Record<string, Readonly<Record<string, SubresourceFactory>>>>
}

/** Creates the storages of all paths of the resources, by path ("pods", "pods/status"). */
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
