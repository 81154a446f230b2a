import type { GroupResource } from '@keelson/apimachinery'

/** A map by group and resource. Nested, because a combined key would allocate a string for each lookup. */
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

  /** Iterates group by group, in insertion order. */
  *values(): Generator<T> {
    for (const resources of this.#groups.values()) yield* resources.values()
  }
}
