import { compareVersions } from '@keelson/apimachinery'
import type { GroupVersionKind } from '@keelson/apimachinery'
import type { RemoteGroup, RemoteVersion } from './aggregation.ts'

/** One entry of an APIResourceList: a resource or a subresource ("pods/status"). */
export interface DiscoveryResource {
  /** Path of the resource: "pods" or "pods/status". */
  readonly name: string
  /** Singular name of the resource. "" for a subresource. */
  readonly singularName: string
  readonly namespaced: boolean
  /** Kind of the objects at this path. Documents contain group and version only if they differ from those of the list. */
  readonly kind: GroupVersionKind
  /** Whether aggregated discovery lists the group and version of the kind even if they are those of the list. Default: false. */
  readonly listsFullKind?: boolean
  readonly verbs: readonly string[]
  readonly shortNames: readonly string[]
  readonly categories: readonly string[]
  /** Hash of the storage version. "" for subresources and for resources that are not stored. */
  readonly storageVersionHash: string
}

export interface DiscoveryVersion {
  readonly version: string
  readonly resources: readonly DiscoveryResource[]
  /** Whether the resources are custom resources. As in kube-apiserver, their list is served for every HTTP method. Default: false. */
  readonly isCustom?: boolean
}

export interface DiscoveryGroup {
  /** Name of the group. "" for the core group. */
  readonly name: string
  /** Versions in order of preference. */
  readonly versions: readonly DiscoveryVersion[]
  /**
   * Priority of the group. Lists start with the highest one. Default: 0.
   */
  readonly priority?: number
}

/**
 * The order of groups with the same priority: by name in aggregated discovery, by the names of their APIServices ("v1.apps") in `/apis`. So
 * all groups that have a version v1 come before those that have only v2.
 */
export type DiscoveryOrder = 'name' | 'service'

/** A group in aggregated discovery: the installed versions, and those of other servers. */
export interface AggregatedGroup {
  readonly name: string
  readonly versions: readonly (DiscoveryVersion | RemoteVersion)[]
}

/** The groups of the other API servers of the cluster. */
export interface PeerGroups {
  /** Number that changes when `merge` would return something else for the same groups. */
  readonly generation: number
  /** Merges the entries of this server in aggregated discovery with those of the other servers. Undefined: only the own ones are listed. */
  readonly merge?: ((groups: readonly object[]) => readonly object[]) | undefined
  /** Counts a merged document from the cache (`hit`), one that was made (`miss`), or a request for the own groups only. */
  count(event: 'hit' | 'miss' | 'nopeer'): void
}

/** Registry of groups, versions and resources for `/api`, `/apis` and aggregated discovery. */
export class DiscoveryRegistry {
  /** The groups of other servers, for aggregated discovery. Undefined if there is only this server. */
  peers: PeerGroups | undefined
  readonly #groups = new Map<string, DiscoveryGroup>()
  readonly #remote = new Map<string, RemoteGroup>()
  readonly #handlers = new Set<(group: string) => void>()
  readonly #sorted = new Map<DiscoveryOrder, readonly DiscoveryGroup[]>()
  #generation = 0

  /** Adds a group, which replaces a group with the same name. Returns a function that removes the group unless it was replaced. */
  addGroup(group: DiscoveryGroup): () => void {
    this.#groups.set(group.name, group)
    this.#changed(group.name)
    return () => {
      if (this.#groups.get(group.name) === group) this.removeGroup(group.name)
    }
  }

  removeGroup(name: string): void {
    if (this.#groups.delete(name)) this.#changed(name)
  }

  group(name: string): DiscoveryGroup | undefined {
    return this.#groups.get(name)
  }

  /** Returns all groups, including the core group, by decreasing priority. The list is sorted on first use. */
  groups(order: DiscoveryOrder): readonly DiscoveryGroup[] {
    let sorted = this.#sorted.get(order)
    if (sorted === undefined) {
      const keys = new Map(Array.from(this.#groups.values(), (group) => [group, sortKey(group, order)]))
      const compare = (a: DiscoveryGroup, b: DiscoveryGroup): number =>
        (b.priority ?? 0) - (a.priority ?? 0) || (keys.get(a)! < keys.get(b)! ? -1 : 1)
      this.#sorted.set(order, (sorted = [...keys.keys()].toSorted(compare)))
    }
    return sorted
  }

  /** Sets the versions of a group that other servers serve, for aggregated discovery. */
  setRemoteGroup(name: string, group: RemoteGroup): void {
    if (group.versions.length > 0) this.#remote.set(name, group)
    else if (!this.#remote.delete(name)) return
    this.#changed()
  }

  /** Returns the groups of aggregated discovery, in order. */
  aggregatedGroups(): readonly AggregatedGroup[] {
    const installed = this.groups('name').filter(({ versions }) => versions.length > 0)
    if (this.#remote.size === 0) return installed
    const merged = new Map<string, { readonly group: AggregatedGroup; readonly priority: number }>()
    for (const group of installed) merged.set(group.name, { group, priority: group.priority ?? 0 })
    for (const [name, remote] of this.#remote) merged.set(name, mergeGroup(this.#groups.get(name), name, remote))
    return [...merged.values()]
      .toSorted((a, b) => b.priority - a.priority || (a.group.name < b.group.name ? -1 : 1))
      .map(({ group }) => group)
  }

  /** Calls the handler with the name of each installed group that changes. Returns a function that unsubscribes the handler. */
  subscribe(handler: (group: string) => void): () => void {
    this.#handlers.add(handler)
    return () => this.#handlers.delete(handler)
  }

  /** Number that changes with each change of the groups. Documents that were made from the groups can be cached while it is the same. */
  get generation(): number {
    return this.#generation
  }

  #changed(installed?: string): void {
    this.#sorted.clear()
    this.#generation++
    if (installed !== undefined) for (const handler of this.#handlers) handler(installed)
  }
}

function mergeGroup(
  installed: DiscoveryGroup | undefined,
  name: string,
  { versions, priorityOf }: RemoteGroup,
): { readonly group: AggregatedGroup; readonly priority: number } {
  const remote = new Set(versions.map(({ version }) => version))
  const local = (installed?.versions ?? []).filter(({ version }) => !remote.has(version))
  let priority = local.length > 0 ? (installed?.priority ?? 0) : 0
  for (const { groupPriority } of versions) priority = Math.max(priority, groupPriority)
  const sorted = [...local, ...versions].toSorted(
    (a, b) => priorityOf(b.version) - priorityOf(a.version) || compareVersions(a.version, b.version),
  )
  return { group: { name, versions: sorted }, priority }
}

function sortKey({ name, versions }: DiscoveryGroup, order: DiscoveryOrder): string {
  if (order === 'name') return name
  const [first = name] = versions.map(({ version }) => `${version}.${name}`).toSorted()
  return first
}
