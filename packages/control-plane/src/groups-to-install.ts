import type { ApiGroup, RESTStorage } from '@keelson/registry'
import type { GroupToInstall } from './install-apis.ts'

type Paths = ReadonlyMap<string, RESTStorage>

/**
 * What is served under each group: its own resources, and those of other groups that are served there a second time (core's events under
 * events.k8s.io), on the same stores. Groups of which nothing is served are left out.
 */
export function groupsToInstall(groups: readonly ApiGroup[], storageOf: (group: ApiGroup) => Paths): readonly GroupToInstall[] {
  const served = new Map<string, Map<string, RESTStorage>>()
  for (const group of groups) {
    const storage = storageOf(group)
    const [preferred] = group.types
    const undefinedPaths = new Map(storage)
    for (const definition of group.resources) {
      for (const { group: name, version } of [definition, ...(definition.alsoServedAs ?? [])]) {
        const paths = served.get(`${name}/${version}`) ?? new Map<string, RESTStorage>()
        served.set(`${name}/${version}`, paths)
        for (const [path, rest] of storage) {
          if (path !== definition.plural && !path.startsWith(`${definition.plural}/`)) continue
          paths.set(path, rest)
          undefinedPaths.delete(path)
        }
      }
    }
    if (undefinedPaths.size === 0) continue
    // What is no resource of its own (bindings, componentstatuses, reviews).
    const key = `${group.name}/${preferred?.groupVersion.version}`
    const paths = served.get(key) ?? new Map<string, RESTStorage>()
    served.set(key, paths)
    for (const [path, rest] of undefinedPaths) paths.set(path, rest)
  }
  return groups.flatMap(({ name, priority, types, retiredVersions = [] }) => {
    // Types of other groups are those that subresources take (tokens, scales).
    const own = types.map(({ groupVersion }) => groupVersion).filter(({ group }) => group === name)
    const versions = own.filter(({ version }) => served.has(`${name}/${version}`))
    const storage = new Map(versions.map(({ version }) => [version, served.get(`${name}/${version}`)!]))
    return versions.length === 0 ? [] : [{ name, priority, versions, retiredVersions, storage }]
  })
}
