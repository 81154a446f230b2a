import type { KubeObject } from '@keelson/apimachinery'
import { completeWithOptions } from './complete-with-options.ts'
import type { StoreOptions } from './complete-with-options.ts'
import type { ResourceDefinition } from './resource-definition.ts'
import type { RESTStorage } from './rest.ts'
import { scaleSubresource } from './scale-subresource.ts'
import { Store } from './store.ts'

export function createStore<T extends KubeObject>(definition: ResourceDefinition<T>, options: StoreOptions<T>): Store<T> {
  return new Store(completeWithOptions(definition, options))
}

/** Builds a subresource whose body and answer are of another kind, or whose verbs are its own (pods/binding). */
export type SubresourceFactory<T extends KubeObject = KubeObject> = (store: Store<T>) => RESTStorage

export interface ResourceStorageOptions<T extends KubeObject = KubeObject> extends StoreOptions<T> {
  /** Subresources that the definition's strategies cannot describe, by name ("binding"). */
  readonly subresources?: Readonly<Record<string, SubresourceFactory<T>>>
}

/** Every path of a resource ("pods", "pods/status") with what serves it. All of them stand on one storage. */
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

/** A verb is there when its method is; a hidden one is shadowed with undefined on this one instance. */
function withoutVerbs<T extends KubeObject>(store: Store<T>): RESTStorage {
  for (const verb of store.definition.withoutVerbs ?? []) {
    if (verb !== 'patch') Object.defineProperty(store, methods[verb], { value: undefined })
  }
  return store
}
