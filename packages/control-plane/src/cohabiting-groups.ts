import type { GroupVersion } from '@keelson/apimachinery'
import type { RESTStorage } from '@keelson/registry'
import type { GroupToInstall } from './install-apis.ts'
import type { LegacyRESTStorage } from './new-legacy-rest-storage.ts'

/** The groups under which core objects are served a second time (events.k8s.io), on the same stores. */
export function cohabitingGroups({ storage, definitions }: LegacyRESTStorage): readonly GroupToInstall[] {
  const groups = new Map<string, { versions: GroupVersion[]; storage: Map<string, Map<string, RESTStorage>> }>()
  for (const definition of definitions) {
    for (const groupVersion of definition.alsoServedAs ?? []) {
      const group = groups.get(groupVersion.group) ?? { versions: [], storage: new Map<string, Map<string, RESTStorage>>() }
      groups.set(groupVersion.group, group)
      const paths = group.storage.get(groupVersion.version) ?? new Map<string, RESTStorage>()
      if (!group.storage.has(groupVersion.version)) {
        group.versions.push(groupVersion)
        group.storage.set(groupVersion.version, paths)
      }
      for (const [path, rest] of storage) if (path === definition.plural || path.startsWith(`${definition.plural}/`)) paths.set(path, rest)
    }
  }
  return Array.from(groups, ([group, made]) => ({ group, versions: made.versions, storage: made.storage }))
}
