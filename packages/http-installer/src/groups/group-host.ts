import type { ApiTypesRegistry } from '@keelson/api'
import type { GroupResource, GroupVersion, GroupVersionResource, Scheme } from '@keelson/apimachinery'
import { newRESTStorage, trackStorages } from '@keelson/registry'
import type { AdmissionChain, ApiGroup, RESTOptionsGetter, RESTStorage, StorageHost } from '@keelson/registry'
import type { Storage } from '@keelson/storagebackend'
import type { Hono } from 'hono'
import { ApiSurface } from '../routing/api-surface.ts'
import type { InstallerEnv } from '../routing/hono.ts'
import type { InstallOptions } from '../install-options.ts'
import { Removals } from './removals.ts'
import { ServedGroup } from './served-group.ts'
import type { Installation, Paths, PlacedPaths } from './served-group.ts'

export interface GroupHostOptions<Services> {
  readonly app: Hono<InstallerEnv>
  readonly scheme: Scheme
  readonly types: ApiTypesRegistry
  readonly restOptions: RESTOptionsGetter
  readonly admission: AdmissionChain
  /** Services that the factories of groups can use. */
  readonly services: Services
  /** Options for serving the groups over HTTP. */
  readonly serving?: Omit<InstallOptions, 'priority'>
  /** Loopback client to which every served resource is added. */
  readonly client?: { add(groupVersion: GroupVersion, paths: Paths): () => void }
  /** Shared informers. Those of a removed resource are stopped. */
  readonly informers?: { remove(resource: GroupResource): Promise<void> }
  /** Adds paths to the list of paths that the server returns at `/`. */
  readonly addListedPaths?: (paths: () => readonly string[]) => () => void
  /** Returns whether a resource is served in a version. Default: all resources are served. */
  readonly isServed?: (resource: GroupVersionResource) => boolean
}

/** An installed group. Disposing it removes everything that the group added and ends its watches. */
export interface InstalledGroup extends AsyncDisposable {
  readonly group: ApiGroup
  /** Makes the entries of the group in discovery and OpenAPI again, after the result of `getListing` of a resource changed. */
  refreshDocuments(): void
}

/** Installs and removes groups of an app while the app serves requests. Disposing it removes all groups. */
export interface GroupHost<Services = unknown> extends AsyncDisposable {
  /**
   * Serves the group, starting with the next request. Groups with the same name are served as one, so their resources must differ. Throws
   * without side effects if another group has already registered one of its kinds or resources.
   */
  install(group: ApiGroup<Services>): InstalledGroup
  /** Storages of all installed groups, for readiness and shutdown. */
  readonly storages: ReadonlySet<Storage>
}

/**
 * Creates a host that installs and removes API groups of an app.
 *
 * @example
 * const host = createGroupHost({ app, scheme, types, restOptions, admission, services: undefined })
 * await using widgets = host.install(defineApiGroup({ name: 'example.com', priority: 100, types: [exampleV1], resources: [widgets] }))
 */
export function createGroupHost<Services>(options: GroupHostOptions<Services>): GroupHost<Services> {
  return new Host(options)
}

class Host<Services> implements GroupHost<Services> {
  readonly storages = new Set<Storage>()
  readonly #options: GroupHostOptions<Services>
  readonly #installed = new Set<Installation<Services>>()
  /** The served groups by name. */
  readonly #groups = new Map<string, ServedGroup<Services>>()

  constructor(options: GroupHostOptions<Services>) {
    this.#options = options
    // Adds the routes of the app now. Hono accepts no routes after its first request, which may come before the first group.
    ApiSurface.of(options.app, options.serving ?? {})
  }

  install(group: ApiGroup<Services>): InstalledGroup {
    const removals = new Removals()
    try {
      const installation = this.#install(group, removals)
      return {
        group,
        refreshDocuments: () => this.#refreshDocuments(installation),
        [Symbol.asyncDispose]: () => removals.run(),
      }
    } catch (error) {
      removals.abandon()
      throw error
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#installed].toReversed().map(({ removals }) => removals.run()))
  }

  /** Runs the steps of an installation. Each step adds the function that undoes it; these functions run in reverse order. */
  #install(group: ApiGroup<Services>, removals: Removals): Installation<Services> {
    const { scheme, types, services, informers } = this.#options
    const { restOptions, storages } = trackStorages(this.#options.restOptions)
    let installation: Installation<Services> | undefined
    // The steps that wait come first, so they are undone last. The routes and kinds of a group without cleanup functions are thus removed
    // at once, and a changed group can be installed in the same turn.
    removals.add(async () => {
      await Promise.all(storages.map((storage) => storage.close()))
    })
    removals.add(() => installation && this.#removeInformers(installation, informers))
    for (const module of group.types) removals.add(types.add(module))
    group.register({
      register(registration) {
        const remove = scheme.register(registration)
        removals.add(remove)
        return remove
      },
    })
    const host: StorageHost<Services> = { restOptions, types, services, defer: (dispose) => removals.add(dispose) }
    const storage = group.newRESTStorage?.(host) ?? newRESTStorage(host, group.resources)
    const placements = placeStorages(group, storage)
    for (const placement of placements) this.#groups.get(placement.group)?.refuseSecond(placement)
    const newInstallation = (installation = { group, placed: placements, removals })
    this.#installed.add(newInstallation)
    for (const tracked of storages) this.storages.add(tracked)
    const names = new Set([group.name, ...placements.map((place) => place.group)])
    removals.add(() => {
      for (const tracked of storages) this.storages.delete(tracked)
      this.#installed.delete(newInstallation)
      for (const name of names) {
        const servedGroup = this.#groups.get(name)!
        servedGroup.remove(newInstallation)
        if (servedGroup.isEmpty) this.#groups.delete(name)
      }
    })
    for (const name of names) {
      let servedGroup = this.#groups.get(name)
      if (servedGroup === undefined) this.#groups.set(name, (servedGroup = new ServedGroup(name, this.#options)))
      servedGroup.add(newInstallation)
    }
    return newInstallation
  }

  #refreshDocuments(installation: Installation<Services>): void {
    if (!this.#installed.has(installation)) return
    for (const { group, version } of installation.placed) this.#groups.get(group)?.refreshDocuments(version)
  }

  async #removeInformers({ placed }: Installation<Services>, informers: GroupHostOptions<Services>['informers']): Promise<void> {
    for (const { group, paths } of placed) for (const resource of paths.keys()) await informers?.remove({ group, resource })
  }
}

/**
 * Assigns storages to group versions. A resource is served in its own version and in the other versions of its definition, which may belong
 * to another group (events of the core group in events.k8s.io). Paths without a definition (bindings, reviews) are served in the group's
 * preferred version.
 */
function placeStorages(group: ApiGroup, storage: Paths): readonly PlacedPaths[] {
  const placements = new Map<string, { group: string; version: string; paths: Map<string, RESTStorage> }>()
  const placeStorages = (name: string, version: string): Map<string, RESTStorage> => {
    const key = `${name}/${version}`
    const placement = placements.get(key) ?? { group: name, version, paths: new Map<string, RESTStorage>() }
    placements.set(key, placement)
    return placement.paths
  }
  const undefinedPaths = new Map(storage)
  for (const definition of group.resources) {
    const { plural, alsoServedAs = [] } = definition
    for (const { group: name, version } of [definition, ...alsoServedAs]) {
      const paths = placeStorages(name, version)
      for (const [path, rest] of storage) {
        if (path !== plural && !path.startsWith(`${plural}/`)) continue
        paths.set(path, rest)
        undefinedPaths.delete(path)
      }
    }
  }
  const [preferred] = group.types
  if (undefinedPaths.size > 0 && preferred !== undefined) {
    const paths = placeStorages(group.name, preferred.groupVersion.version)
    for (const [path, rest] of undefinedPaths) paths.set(path, rest)
  }
  return [...placements.values()]
}
