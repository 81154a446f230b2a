import { Scheme, systemClock } from '@keelson/apimachinery'
import type { GroupResource, GroupVersion, GroupVersionResource, KubeObject } from '@keelson/apimachinery'
import { canDelete, canList, canWatch, createWriteRoute, noAdmission } from '@keelson/registry'
import type { AdmissionChain, RESTStorage, WriteRoute, WriteRouteOptions } from '@keelson/registry'
import type { DeletableResource, LoopbackClient, LoopbackResource, ServedKind } from './client.ts'
import { EventTracker } from './event-tracker.ts'
import { RegistryResource } from './registry-resource.ts'

export interface LoopbackClientOptions {
  /** Sets defaults in written objects, as for objects from HTTP clients. Absent: no defaults are set. */
  readonly scheme?: Scheme
  /** Returns the admission chain. It is called for each write, so the chain may be created after the client, which its plugins use. */
  readonly getAdmission?: () => AdmissionChain | undefined
  /** The schemas for tracking managed fields. Absent: writes do not set `managedFields`. */
  readonly types?: WriteRouteOptions['types']
  /** Returns the time in milliseconds since the epoch. Default: the system clock. */
  readonly now?: () => number
  /** The name of the field manager for writes. Default: "keelson". */
  readonly fieldManager?: string
}

interface ServedResource {
  readonly resource: DeletableResource
  readonly main: RESTStorage
  readonly served: RegistryResource
  readonly kind: ServedKind
}

function formatVersionKey({ group, version, resource }: GroupVersionResource): string {
  return `${group}/${version}/${resource}`
}

/** A client to which resources are added when their API groups are installed. Resources can be removed too. */
export interface LoopbackClientBuilder extends LoopbackClient {
  /**
   * Adds the resources of a group version. Keys of `storages` are paths ("pods/status"), as for the HTTP installer. If several versions
   * have the same resource, the version that was added first is used. Returns a function that removes the added resources.
   */
  add(groupVersion: GroupVersion, storages: ReadonlyMap<string, RESTStorage>): () => void
  /** True while the reader of a watch of this client handles events. */
  readonly isHandlingEvents: boolean
}

/** Creates a client without resources. `add` adds them. */
export function createLoopbackClient(options: LoopbackClientOptions = {}): LoopbackClientBuilder {
  const resources = new ResourceMap<ServedResource>()
  const tracker = new EventTracker()
  const { scheme = new Scheme(), types = noTypes, fieldManager = 'keelson', now = systemClock.now } = options
  const admission = createForwardingChain(options.getAdmission)
  /**
   * A cache of `listDeletableResources`. The garbage collector calls it for each owner of each object, but the result changes only when groups
   * are added or removed.
   */
  let deletable: readonly DeletableResource[] | undefined
  /** All served versions of all resources. */
  const versions = new Map<string, ServedResource>()
  let listedKinds: readonly ServedKind[] | undefined
  const handlers = new Set<() => void>()
  const notify = (): void => {
    deletable = undefined
    listedKinds = undefined
    for (const handler of handlers) handler()
  }
  const createServed = (resource: GroupResource, version: string, storages: ReadonlyMap<string, RESTStorage>): RegistryResource => {
    const path = resource.resource
    const main = storages.get(path)!
    const findStorage = (name: string): RESTStorage | undefined => (name === '' ? main : storages.get(`${path}/${name}`))
    const route = cacheRoutes((subresource) => {
      const storage = findStorage(subresource)
      if (storage === undefined) return undefined
      const gvr = { ...resource, version }
      return createWriteRoute({ storage, gvk: storage.gvk, gvr, subresource, scheme, types, admission, now })
    })
    return new RegistryResource({
      resource: { ...resource, version },
      main,
      getSubresource: findStorage,
      route,
      tracker,
      fieldManager,
      now,
    })
  }
  return {
    get isHandlingEvents() {
      return tracker.isBusy
    },
    add({ group, version }, storages) {
      const added: ServedResource[] = []
      for (const [path, main] of storages) {
        if (path.includes('/')) continue
        const resource = { group, resource: path }
        const first = resources.get(resource)
        const served = first?.main === main ? first.served : createServed(resource, version, storages)
        const { gvk: hub, singularName, namespaced, isCustom = false } = main
        const kind = { ...resource, version, kind: hub.kind, hub, singularName, namespaced, isCustom }
        const entry = { resource: { ...resource, version, kind: hub.kind, namespaced }, main, served, kind }
        if (first === undefined) resources.set(resource, entry)
        versions.set(formatVersionKey(kind), entry)
        added.push(entry)
      }
      notify()
      return () => {
        for (const entry of added.splice(0)) {
          if (resources.get(entry.resource) === entry) resources.delete(entry.resource)
          if (versions.get(formatVersionKey(entry.kind)) === entry) versions.delete(formatVersionKey(entry.kind))
        }
        notify()
      }
    },
    subscribe(handler) {
      handlers.add(handler)
      return () => void handlers.delete(handler)
    },
    resource<T extends KubeObject>(resource: GroupResource & { readonly version?: string }) {
      const { version } = resource
      const entry = version === undefined ? resources.get(resource) : versions.get(formatVersionKey({ ...resource, version }))
      return entry?.served as unknown as LoopbackResource<T> | undefined
    },
    listServedKinds: () => (listedKinds ??= Array.from(versions.values(), ({ kind }) => kind)),
    listDeletableResources() {
      return (deletable ??= [...resources.values()]
        .filter(({ main }) => canList(main) && canWatch(main) && canDelete(main))
        .map(({ resource }) => resource))
    },
  }
}

const noTypes: WriteRouteOptions['types'] = { kind: () => undefined }

/** Creates an admission chain that forwards each call to the chain which `current` returns at that moment. */
function createForwardingChain(current: LoopbackClientOptions['getAdmission']): AdmissionChain {
  const resolveChain = (): AdmissionChain => current?.() ?? noAdmission
  return {
    handles: (operation) => resolveChain().handles(operation),
    admit: (attributes) => resolveChain().admit(attributes),
    validate: (attributes) => resolveChain().validate(attributes),
  }
}

/** Returns a function that creates the route of a subresource on first use, and then returns the same route. */
function cacheRoutes(create: (subresource: string) => WriteRoute | undefined): (subresource: string) => WriteRoute | undefined {
  const routes = new Map<string, WriteRoute | undefined>()
  return (subresource) => {
    if (!routes.has(subresource)) routes.set(subresource, create(subresource))
    return routes.get(subresource)
  }
}

/** A map with a group and resource as the key. It is a map of maps, because a combined key would allocate a string for each lookup. */
export class ResourceMap<T> {
  readonly #groups = new Map<string, Map<string, T>>()

  get({ group, resource }: GroupResource): T | undefined {
    return this.#groups.get(group)?.get(resource)
  }

  set({ group, resource }: GroupResource, value: T): void {
    let resources = this.#groups.get(group)
    if (resources === undefined) this.#groups.set(group, (resources = new Map()))
    resources.set(resource, value)
  }

  delete({ group, resource }: GroupResource): void {
    const resources = this.#groups.get(group)
    resources?.delete(resource)
    if (resources?.size === 0) this.#groups.delete(group)
  }

  /** Iterates over all resources and their values, group by group. */
  *entries(): Generator<readonly [GroupResource, T]> {
    for (const [group, resources] of this.#groups) for (const [resource, value] of resources) yield [{ group, resource }, value]
  }

  /** Iterates over all values, group by group. */
  *values(): Generator<T> {
    for (const resources of this.#groups.values()) yield* resources.values()
  }
}
