import type { ApiGroup, RESTStorage } from '@keelson/registry'

/** Path ("pods", "pods/status") → what serves it. */
export type Paths = ReadonlyMap<string, RESTStorage>

/** The paths of one group version. */
export interface PlacedPaths {
  readonly group: string
  readonly version: string
  readonly paths: Paths
}

/**
 * Where the storages of a group are served: each resource in its own version and in the others that its definition names, which may be another
 * group's (core's events in events.k8s.io). Paths without a definition (bindings, reviews) are served in the group's preferred version.
 */
export function placeStorages(group: ApiGroup, storage: Paths): readonly PlacedPaths[] {
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
