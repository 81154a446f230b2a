import type { GroupVersionKind } from '@keelson/apimachinery'

/** One entry of an APIResourceList: a resource or a subresource ("pods/status"). */
export interface DiscoveryResource {
  /** The path: "pods" or "pods/status". */
  readonly name: string
  /** The singular name; "" for a subresource. */
  readonly singularName: string
  readonly namespaced: boolean
  /** The kind of the path's objects. Group and version are listed only if they differ from the list's. */
  readonly kind: GroupVersionKind
  readonly verbs: readonly string[]
  readonly shortNames: readonly string[]
  readonly categories: readonly string[]
  /** "" for subresources and for resources that are not stored. */
  readonly storageVersionHash: string
}

export interface DiscoveryVersion {
  readonly version: string
  readonly resources: readonly DiscoveryResource[]
  /** 'Stale' if the server behind an aggregated version does not respond. */
  readonly freshness?: 'Current' | 'Stale'
}

export interface DiscoveryGroup {
  /** The name of the group; "" for the core group. */
  readonly name: string
  /** The versions in order of preference. */
  readonly versions: readonly DiscoveryVersion[]
  /** Lists start with the highest priority. Groups with the same priority keep the order in which they were added. Default: 0. */
  readonly priority?: number
}

/**
 * The groups, versions and resources for `/api`, `/apis` and aggregated discovery. Several chained servers may share one registry: each adds its groups, and
 * the first server in the chain answers.
 */
export class DiscoveryRegistry {
  #groups: DiscoveryGroup[] = []
  #generation = 0

  /** Adds a group. It replaces one with the same name. The returned function removes it, unless it has been replaced. */
  addGroup(group: DiscoveryGroup): () => void {
    const others = this.#groups.filter((other) => other.name !== group.name)
    // Sorting is stable, so groups with the same priority keep their order.
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

  /** Returns the groups, the highest priority first, including the core group. */
  groups(): readonly DiscoveryGroup[] {
    return this.#groups
  }

  /** A number that changes with the groups. Documents made from the groups stay valid while it is the same. */
  get generation(): number {
    return this.#generation
  }
}
