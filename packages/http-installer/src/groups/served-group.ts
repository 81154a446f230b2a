import { compareVersions, formatGroupVersion } from '@keelson/apimachinery'
import type { GroupVersion } from '@keelson/apimachinery'
import type { ApiGroup, RESTStorage } from '@keelson/registry'
import { installAPIGroup } from '../install-api-group.ts'
import type { InstalledRoutes } from '../install-options.ts'
import type { GroupHostOptions } from './group-host.ts'
import { Removals } from './removals.ts'

/** State of an installed group: everything that the group has added. */
export interface Installation<Services> {
  readonly group: ApiGroup<Services>
  readonly placed: readonly PlacedPaths[]
  readonly removals: Removals
}

/** Storages by path ("pods", "pods/status"). */
export type Paths = ReadonlyMap<string, RESTStorage>

/** Storages of one group version, by path. */
export interface PlacedPaths {
  readonly group: string
  readonly version: string
  readonly paths: Paths
}

type ServedGroupOptions<Services> = Omit<GroupHostOptions<Services>, 'restOptions' | 'services' | 'informers'>

/**
 * The installations that serve resources in groups of one name. Adding or removing one changes only its versions, so a group may have
 * hundreds of installations, as a group of custom resources has.
 */
export class ServedGroup<Services> {
  readonly #name: string
  readonly #options: ServedGroupOptions<Services>
  /** The installations in the order in which they were added. */
  readonly #installations = new Set<Installation<Services>>()
  /** All placed storages by version, including those that are not served. */
  readonly #placed = new Map<string, Map<string, RESTStorage>>()
  /** The served storages by version. A change replaces the map of its version. */
  readonly #storage = new Map<string, Paths>()
  /** Functions that remove the resources of an installation from the loopback client. */
  readonly #clients = new Map<Installation<Services>, Removals>()
  #routes: InstalledRoutes | undefined
  #listed: { readonly paths: string; readonly remove: () => void } | undefined

  constructor(name: string, options: ServedGroupOptions<Services>) {
    this.#name = name
    this.#options = options
  }

  get isEmpty(): boolean {
    return this.#installations.size === 0
  }

  /** Throws if a path of another installation is the same. */
  refuseSecond({ version, paths }: PlacedPaths): void {
    const present = this.#placed.get(version)
    for (const path of paths.keys()) {
      if (present?.has(path)) throw new Error(`${path} is already installed in ${formatGroupVersion({ group: this.#name, version })}`)
    }
  }

  add(installation: Installation<Services>): void {
    this.#installations.add(installation)
    const { isServed = () => true } = this.#options
    for (const { version, paths } of this.#listPlaces(installation)) {
      const allStorages = this.#placed.get(version) ?? new Map<string, RESTStorage>()
      this.#placed.set(version, allStorages)
      const servedStorages = new Map(this.#storage.get(version))
      for (const [path, storage] of paths) {
        allStorages.set(path, storage)
        if (isServed({ group: this.#name, version, resource: path.split('/')[0]! })) servedStorages.set(path, storage)
      }
      if (servedStorages.size > 0) this.#storage.set(version, servedStorages)
    }
    this.#serve()
  }

  remove(installation: Installation<Services>): void {
    this.#installations.delete(installation)
    for (const { version, paths } of this.#listPlaces(installation)) {
      const allStorages = this.#placed.get(version)
      const servedStorages = new Map(this.#storage.get(version))
      for (const path of paths.keys()) {
        allStorages?.delete(path)
        servedStorages.delete(path)
      }
      if (allStorages?.size === 0) this.#placed.delete(version)
      if (servedStorages.size === 0) this.#storage.delete(version)
      else this.#storage.set(version, servedStorages)
    }
    void this.#clients.get(installation)?.run()
    this.#clients.delete(installation)
    this.#serve()
  }

  /** Makes the entries of a version in discovery and OpenAPI again. */
  refreshDocuments(version: string): void {
    this.#routes?.refreshDocuments(version)
  }

  #listPlaces({ placed }: Installation<Services>): readonly PlacedPaths[] {
    return placed.filter(({ group }) => group === this.#name)
  }

  #serve(): void {
    const { app, scheme, types, admission, serving } = this.#options
    const owner = this.#installations.values().find(({ group }) => group.name === this.#name)
    const versions = owner === undefined ? [] : this.#listVersions()
    if (owner === undefined || versions.length === 0) return this.#unserve()
    const servedVersions = { versions, storage: this.#storage }
    if (this.#routes !== undefined) this.#routes.update(servedVersions)
    else {
      const groupInfo = { group: this.#name, ...servedVersions, scheme, types, admission }
      this.#routes = installAPIGroup(app, groupInfo, { ...serving, priority: owner.group.priority })
    }
    this.#addToClient(versions)
    this.#listPaths(versions)
  }

  #unserve(): void {
    this.#routes?.uninstall()
    this.#routes = undefined
    for (const removals of this.#clients.values()) void removals.run()
    this.#clients.clear()
    this.#listed?.remove()
    this.#listed = undefined
  }

  /** Returns the versions that have resources, in the order in which the groups with this name list them. */
  #listVersions(): readonly GroupVersion[] {
    const listed = new Set<string>()
    const sorted = new Set<string>()
    for (const { group } of this.#installations) {
      // Skips types of other groups, which only occur in subresources (tokens, scales).
      if (group.name !== this.#name) continue
      for (const { groupVersion } of group.types) (group.sortsVersions === true ? sorted : listed).add(groupVersion.version)
    }
    return [...new Set([...listed, ...[...sorted].sort(compareVersions)])]
      .filter((version) => this.#storage.has(version))
      .map((version) => ({ group: this.#name, version }))
  }

  #addToClient(versions: readonly GroupVersion[]): void {
    const { client } = this.#options
    if (client === undefined) return
    for (const installation of this.#installations) {
      if (this.#clients.has(installation)) continue
      const removals = new Removals()
      this.#clients.set(installation, removals)
      for (const gv of versions) {
        const placement = this.#listPlaces(installation).find(({ version }) => version === gv.version)
        const servedStorages = this.#storage.get(gv.version)!
        const paths = new Map([...(placement?.paths ?? [])].filter(([path]) => servedStorages.has(path)))
        if (paths.size > 0) removals.add(client.add(gv, paths))
      }
    }
  }

  #listPaths(versions: readonly GroupVersion[]): void {
    const root = this.#name === '' ? '/api' : `/apis/${this.#name}`
    const paths = [...(this.#name === '' ? [] : ['/apis']), root, ...versions.map(({ version }) => `${root}/${version}`)]
    if (this.#listed?.paths === paths.join()) return
    this.#listed?.remove()
    const remove = this.#options.addListedPaths?.(() => paths)
    this.#listed = { paths: paths.join(), remove: remove ?? (() => {}) }
  }
}
