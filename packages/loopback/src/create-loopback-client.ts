import { systemClock } from '@keelson/apimachinery'
import type { GroupResource, GroupVersion, KubeObject, Scheme } from '@keelson/apimachinery'
import type { FieldManager } from '@keelson/apimachinery/managed-fields'
import { canDelete, canList, canWatch, storageFieldManager } from '@keelson/registry'
import type { RESTStorage, StorageFieldManagerOptions } from '@keelson/registry'
import type { DeletableResource, LoopbackClient, LoopbackResource } from './client.ts'
import { RegistryResource } from './registry-resource.ts'
import { ResourceMap } from './resource-map.ts'
import { noAdmission } from './write-admission.ts'
import type { WriteAdmission } from './write-admission.ts'

export interface LoopbackClientOptions {
  /** Applies defaults, as for objects from clients. */
  readonly scheme?: Scheme
  /** Called for each write, so the chain may be created after the client that its plugins use. */
  readonly admission?: () => WriteAdmission | undefined
  /** Schemas for tracking managed fields; without them `managedFields` is not written. */
  readonly types?: StorageFieldManagerOptions['types']
  /** Milliseconds since the epoch. Default: the system clock. */
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

/** A client whose resources are added and removed as groups are installed. */
export interface LoopbackClientBuilder extends LoopbackClient {
  /** `storages` maps paths to storages, as for the HTTP installer. The first version added of a resource wins. */
  add(groupVersion: GroupVersion, storages: ReadonlyMap<string, RESTStorage>): void
  remove(resource: GroupResource): void
}

export function createLoopbackClient(options: LoopbackClientOptions = {}): LoopbackClientBuilder {
  const resources = new ResourceMap<ServedResource>()
  const shared = {
    setDefaults: (gvk: RESTStorage['gvk'], object: KubeObject): void => options.scheme?.setDefaults(gvk, object),
    admission: (): WriteAdmission => options.admission?.() ?? noAdmission,
    fieldManager: options.fieldManager ?? 'keelson',
    now: options.now ?? systemClock.now,
  }
  /** Cached: read for each owner of each collected object, but changes only with the groups. */
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

/** Creates each path's field manager on first use. */
function createFieldManagers(
  { types, scheme, now = systemClock.now }: LoopbackClientOptions,
  storageOf: (subresource: string) => RESTStorage | undefined,
): (subresource: string) => FieldManager | undefined {
  const managers = new Map<string, FieldManager | undefined>()
  return (subresource) => {
    const storage = storageOf(subresource)
    if (types === undefined || scheme === undefined || storage === undefined) return undefined
    if (!managers.has(subresource))
      managers.set(subresource, storageFieldManager({ types, scheme, kind: storage.gvk, storage, subresource, now }))
    return managers.get(subresource)
  }
}
