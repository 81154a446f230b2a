import type { GroupResource } from '@keelson/apimachinery'

/** By group and resource. One map in another, for each write asks several times and a key made of both would be a new text each time. */
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
    this.#groups.get(group)?.delete(resource)
  }

  /** Group by group, each in the order in which they came. */
  *values(): Generator<T> {
    for (const resources of this.#groups.values()) yield* resources.values()
  }
}
