import type { GroupVersionKind, GroupVersionResource } from '@keelson/apimachinery'
import type { EquivalentResource, OtherVersions, RESTStorage } from '@keelson/registry'

/** A path that is served in one version. */
interface ServedPath {
  readonly resource: GroupVersionResource
  readonly subresource: string
  readonly kind: GroupVersionKind
  readonly storage: RESTStorage
}

/**
 * Finds the equivalent resources of a path: those that serve the same objects in other versions. Webhooks and policies with rules for one
 * of them also match writes to the others.
 */
export class EquivalentResources {
  /** The paths of each storage, in the order in which they were installed. They are kept until the storage is gone, as in kube-apiserver. */
  readonly #paths = new WeakMap<RESTStorage, readonly EquivalentResource[]>()

  /**
   * Adds a path. Returns a function that returns its equivalent resources; the result is the same array until it changes. `custom` has the
   * versions of a custom resource, which are resources of their own.
   */
  add({ resource, subresource, kind, storage }: ServedPath, custom: OtherVersions | undefined): () => readonly EquivalentResource[] {
    if (custom !== undefined) {
      const versions = custom.listSubresourceVersions(subresource).filter((version) => version !== resource.version)
      const equivalents = versions.map((version) => ({
        resource: { ...resource, version },
        // A scale has the same kind in all versions.
        kind: kind.group === resource.group ? { ...kind, version } : kind,
      }))
      return () => equivalents
    }
    const before = this.#paths.get(storage) ?? []
    if (!before.some((other) => isSame(other.resource, resource))) this.#paths.set(storage, [...before, { resource, kind }])
    let allResources: readonly EquivalentResource[] | undefined
    let otherResources: readonly EquivalentResource[] = []
    return () => {
      const current = this.#paths.get(storage)!
      if (allResources !== current) {
        allResources = current
        otherResources = current.filter((other) => !isSame(other.resource, resource))
      }
      return otherResources
    }
  }
}

function isSame(a: GroupVersionResource, b: GroupVersionResource): boolean {
  return a.group === b.group && a.version === b.version && a.resource === b.resource
}
