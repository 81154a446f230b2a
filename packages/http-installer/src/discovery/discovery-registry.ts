import type { GroupVersionKind } from '@keelson/apimachinery'

/** One entry of an APIResourceList: a resource or a subresource ("pods/status"). */
export interface DiscoveryResource {
  /** Path of the resource: "pods" or "pods/status". */
  readonly name: string
  /** Singular name of the resource. "" for a subresource. */
  readonly singularName: string
  readonly namespaced: boolean
  /** Kind of the objects at this path. Documents contain group and version only if they differ from those of the list. */
  readonly kind: GroupVersionKind
  readonly verbs: readonly string[]
  readonly shortNames: readonly string[]
  readonly categories: readonly string[]
  /** Hash of the storage version. "" for subresources and for resources that are not stored. */
  readonly storageVersionHash: string
}

export interface DiscoveryVersion {
  readonly version: string
  readonly resources: readonly DiscoveryResource[]
  /** 'Stale' if the aggregated API server that serves this version does not respond. */
  readonly freshness?: 'Current' | 'Stale'
}

export interface DiscoveryGroup {
  /** Name of the group. "" for the core group. */
  readonly name: string
  /** Versions in order of preference. */
  readonly versions: readonly DiscoveryVersion[]
  /**
   * Priority of the group: lists start with the highest one. Groups with the same priority keep the order in which they were added.
   * Default: 0.
   */
  readonly priority?: number
}

/**
 * Registry of groups, versions and resources for `/api`, `/apis` and aggregated discovery. Several chained servers can share one registry.
 * Each adds its groups, and the first server in the chain answers.
 */
export class DiscoveryRegistry {
  #groups: DiscoveryGroup[] = []
  #generation = 0

  /** Adds a group, which replaces a group with the same name. Returns a function that removes the group unless it was replaced. */
  addGroup(group: DiscoveryGroup): () => void {
    const others = this.#groups.filter((other) => other.name !== group.name)
    // `toSorted` is stable, so groups with the same priority keep their order.
    this.#groups = [...others, group].toSorted((a, b) => (b.priority ?? 0) - (a.priority ?? 0))
    this.#generation++
    return () => {
      if (!this.#groups.includes(group)) return
      this.#groups = this.#groups.filter((other) => other !== group)
      this.#generation++
    }
  }

  removeGroup(name: string): void {
    const kept = this.#groups.filter((group) => group.name !== name)
    if (kept.length === this.#groups.length) return
    this.#groups = kept
    this.#generation++
  }

  group(name: string): DiscoveryGroup | undefined {
    return this.#groups.find((group) => group.name === name)
  }

  /** Returns all groups, including the core group, by decreasing priority. */
  groups(): readonly DiscoveryGroup[] {
    return this.#groups
  }

  /** Number that changes with each change of the groups. Documents that were made from the groups can be cached while it is the same. */
  get generation(): number {
    return this.#generation
  }
}
