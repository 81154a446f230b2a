import { Scheme, systemClock } from '@keelson/apimachinery'
import type { GroupResource, GroupVersion, KubeObject } from '@keelson/apimachinery'
import type { FieldManager } from '@keelson/apimachinery/managed-fields'
import { canDelete, canList, canWatch, noAdmission, storageFieldManager } from '@keelson/registry'
import type { AdmissionChain, RESTStorage, StorageFieldManagerOptions } from '@keelson/registry'
import type { DeletableResource, LoopbackClient, LoopbackResource } from './client.ts'
import { RegistryResource } from './registry-resource.ts'
import { ResourceMap } from './resource-map.ts'

export interface LoopbackClientOptions {
  /** Fills in what a creator may leave out, as for a client's object. */
  readonly scheme?: Scheme
  /** Asked at each write, so that the chain may be made after the client its plugins read through. */
  readonly admission?: () => AdmissionChain | undefined
  /** The kinds' schemas, by which is known who manages which field; without them nobody does. */
  readonly types?: StorageFieldManagerOptions['types']
  /** Default: the clock. Milliseconds since the epoch. */
  readonly now?: () => number
  /** Default "keelson". */
  readonly fieldManager?: string
}

interface ServedResource {
  readonly resource: GroupResource
  readonly version: string
  readonly main: RESTStorage
  readonly served: RegistryResource
}

/** A client whose resources come and go as groups are installed. */
export interface LoopbackClientBuilder extends LoopbackClient {
  /** `storages`: path → storage, as for the HTTP installer. The first version added of a resource is the one used. */
  add(groupVersion: GroupVersion, storages: ReadonlyMap<string, RESTStorage>): void
  remove(resource: GroupResource): void
}

export function createLoopbackClient(options: LoopbackClientOptions = {}): LoopbackClientBuilder {
  const resources = new ResourceMap<ServedResource>()
  const shared = {
    scheme: options.scheme ?? new Scheme(),
    admission: (): AdmissionChain => options.admission?.() ?? noAdmission,
    fieldManager: options.fieldManager ?? 'keelson',
    now: options.now ?? systemClock.now,
  }
  /** Asked for each owner of each object that is collected, and changed only with the groups. */
  let deletable: readonly DeletableResource[] | undefined
  return {
    add({ group, version }, storages) {
      for (const [path, main] of storages) {
        const resource = { group, resource: path }
        if (path.includes('/') || resources.get(resource) !== undefined) continue
        const subresource = (name: string): RESTStorage | undefined => storages.get(`${path}/${name}`)
        const fieldManagers = createFieldManagers(options, (name) => (name === '' ? main : subresource(name)))
        const served = new RegistryResource({ ...shared, resource: { ...resource, version }, main, subresource, fieldManagers })
        resources.set(resource, { resource, version, main, served })
      }
      deletable = undefined
    },
    remove(resource) {
      resources.delete(resource)
      deletable = undefined
    },
    resource<T extends KubeObject>(resource: GroupResource) {
      return resources.get(resource)?.served as unknown as LoopbackResource<T> | undefined
    },
    deletableResources() {
      return (deletable ??= [...resources.values()]
        .filter(({ main }) => canList(main) && canWatch(main) && canDelete(main))
        .map(({ resource: { group, resource }, version, main }) => {
          return { group, resource, version, kind: main.gvk.kind, namespaced: main.namespaced }
        }))
    },
  }
}

/** Each path's field manager, made when it is first asked for. */
function createFieldManagers(
  { types, scheme, now = systemClock.now }: LoopbackClientOptions,
  storageOf: (subresource: string) => RESTStorage | undefined,
): (subresource: string) => FieldManager | undefined {
  const made = new Map<string, FieldManager | undefined>()
  return (subresource) => {
    const storage = storageOf(subresource)
    if (types === undefined || scheme === undefined || storage === undefined) return undefined
    if (!made.has(subresource)) made.set(subresource, storageFieldManager({ types, scheme, kind: storage.gvk, storage, subresource, now }))
    return made.get(subresource)
  }
}
