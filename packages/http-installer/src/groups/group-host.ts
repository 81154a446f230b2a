import type { ApiTypesRegistry } from '@keelson/api'
import { formatGroupVersion } from '@keelson/apimachinery'
import type { GroupResource, GroupVersion, GroupVersionResource, Scheme } from '@keelson/apimachinery'
import { newRESTStorage, trackStorages } from '@keelson/registry'
import type { AdmissionChain, ApiGroup, RESTOptionsGetter, RESTStorage, StorageHost } from '@keelson/registry'
import type { Storage } from '@keelson/storagebackend'
import type { Hono } from 'hono'
import { ApiSurface } from '../routing/api-surface.ts'
import type { InstallerEnv } from '../routing/hono.ts'
import { installAPIGroup } from '../install-api-group.ts'
import type { InstallOptions } from '../install-options.ts'
import { Removals } from './removals.ts'

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

/** State of an installed group: everything that the group has added. */
interface Installation<Services> {
  readonly group: ApiGroup<Services>
  readonly placed: readonly PlacedPaths[]
  readonly removals: Removals
}

class Host<Services> implements GroupHost<Services> {
  readonly storages = new Set<Storage>()
  readonly #options: GroupHostOptions<Services>
  readonly #installed: Installation<Services>[] = []
  /** Functions that remove the routes of a group, by group name. */
  readonly #served = new Map<string, Removals>()

  constructor(options: GroupHostOptions<Services>) {
    this.#options = options
    // Adds the routes of the app now. Hono accepts no routes after its first request, which may come before the first group.
    ApiSurface.of(options.app, options.serving ?? {})
  }

  install(group: ApiGroup<Services>): InstalledGroup {
    const removals = new Removals()
    try {
      this.#install(group, removals)
    } catch (error) {
      removals.abandon()
      throw error
    }
    return { group, [Symbol.asyncDispose]: () => removals.run() }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#installed.toReversed().map(({ removals }) => removals.run()))
  }

  /** Runs the steps of an installation. Each step adds the function that undoes it; these functions run in reverse order. */
  #install(group: ApiGroup<Services>, removals: Removals): void {
    const { scheme, types, services, informers } = this.#options
    for (const module of group.types) removals.add(types.add(module))
    group.register({
      register(registration) {
        const remove = scheme.register(registration)
        removals.add(remove)
        return remove
      },
    })
    const { restOptions, storages } = trackStorages(this.#options.restOptions)
    removals.add(async () => {
      await Promise.all(storages.map((storage) => storage.close()))
    })
    const host: StorageHost<Services> = { restOptions, types, services, defer: (dispose) => removals.add(dispose) }
    const storage = group.newRESTStorage?.(host) ?? newRESTStorage(host, group.resources)
    const installation = { group, placed: placeStorages(group, storage), removals }
    this.#refuseSecond(installation)
    removals.add(() => this.#removeInformers(installation, informers))
    this.#installed.push(installation)
    for (const each of storages) this.storages.add(each)
    const names = new Set([group.name, ...installation.placed.map((place) => place.group)])
    removals.add(() => {
      for (const each of storages) this.storages.delete(each)
      this.#installed.splice(this.#installed.indexOf(installation), 1)
      for (const name of names) this.#serve(name)
    })
    for (const name of names) this.#serve(name)
  }

  #refuseSecond({ placed }: Installation<Services>): void {
    for (const { group, version, paths } of placed) {
      const present = this.#pathsOf({ group, version })
      for (const path of paths.keys()) {
        if (present.has(path)) throw new Error(`${path} is already installed in ${formatGroupVersion({ group, version })}`)
      }
    }
  }

  async #removeInformers({ placed }: Installation<Services>, informers: GroupHostOptions<Services>['informers']): Promise<void> {
    for (const { group, paths } of placed) for (const resource of paths.keys()) await informers?.remove({ group, resource })
  }

  /** Returns the versions that have resources, in the order in which the groups with this name list them. */
  #versionsOf(name: string): readonly GroupVersion[] {
    const placed = new Set(this.#installed.flatMap((each) => each.placed.map(({ group, version }) => `${group}/${version}`)))
    // Skips types of other groups, which only occur in subresources (tokens, scales).
    const versions = this.#installed
      .filter(({ group }) => group.name === name)
      .flatMap(({ group }) => group.types.map(({ groupVersion }) => groupVersion.version))
    return [...new Set(versions)].filter((version) => placed.has(`${name}/${version}`)).map((version) => ({ group: name, version }))
  }

  #pathsOf({ group, version }: GroupVersion): Map<string, RESTStorage> {
    const found = new Map<string, RESTStorage>()
    for (const { placed } of this.#installed) {
      for (const place of placed) {
        if (place.group !== group || place.version !== version) continue
        for (const [path, rest] of place.paths) found.set(path, rest)
      }
    }
    return found
  }

  /** Serves all groups that are currently installed under a name. Replaces the routes that were served before. */
  #serve(name: string): void {
    void this.#served.get(name)?.run()
    this.#served.delete(name)
    const first = this.#installed.find(({ group }) => group.name === name)
    if (first === undefined) return
    const { app, scheme, types, admission, serving, client, addListedPaths, isServed = () => true } = this.#options
    const storage = new Map<string, Paths>()
    for (const gv of this.#versionsOf(name)) {
      const paths = [...this.#pathsOf(gv)].filter(([path]) => isServed({ ...gv, resource: path.split('/')[0]! }))
      if (paths.length > 0) storage.set(gv.version, new Map(paths))
    }
    if (storage.size === 0) return
    const versions = Array.from(storage.keys(), (version) => ({ group: name, version }))
    const removals = new Removals()
    this.#served.set(name, removals)
    const info = { group: name, versions, storage, scheme, types, admission }
    const routes = installAPIGroup(app, info, { ...serving, priority: first.group.priority })
    removals.add(() => routes.uninstall())
    for (const gv of versions) if (client !== undefined) removals.add(client.add(gv, storage.get(gv.version)!))
    if (addListedPaths !== undefined) removals.add(addListedPaths(() => listedPaths(name, versions)))
  }
}

function listedPaths(name: string, versions: readonly GroupVersion[]): string[] {
  const root = name === '' ? '/api' : `/apis/${name}`
  return [...(name === '' ? [] : ['/apis']), root, ...versions.map(({ version }) => `${root}/${version}`)]
}

/** Storages by path ("pods", "pods/status"). */
type Paths = ReadonlyMap<string, RESTStorage>

/** Storages of one group version, by path. */
interface PlacedPaths {
  readonly group: string
  readonly version: string
  readonly paths: Paths
}

/**
 * Assigns storages to group versions. A resource is served in its own version and in the other versions of its definition, which may belong
 * to another group (events of the core group in events.k8s.io). Paths without a definition (bindings, reviews) are served in the group's
 * preferred version.
 */
function placeStorages(group: ApiGroup, storage: Paths): readonly PlacedPaths[] {
  const placed = new Map<string, { group: string; version: string; paths: Map<string, RESTStorage> }>()
  const pathsOf = (name: string, version: string): Map<string, RESTStorage> => {
    const key = `${name}/${version}`
    const place = placed.get(key) ?? { group: name, version, paths: new Map<string, RESTStorage>() }
    placed.set(key, place)
    return place.paths
  }
  const undefinedPaths = new Map(storage)
  for (const definition of group.resources) {
    const { plural, alsoServedAs = [] } = definition
    for (const { group: name, version } of [definition, ...alsoServedAs]) {
      const paths = pathsOf(name, version)
      for (const [path, rest] of storage) {
        if (path !== plural && !path.startsWith(`${plural}/`)) continue
        paths.set(path, rest)
        undefinedPaths.delete(path)
      }
    }
  }
  const [preferred] = group.types
  if (undefinedPaths.size > 0 && preferred !== undefined) {
    const paths = pathsOf(group.name, preferred.groupVersion.version)
    for (const [path, rest] of undefinedPaths) paths.set(path, rest)
  }
  return [...placed.values()]
}
