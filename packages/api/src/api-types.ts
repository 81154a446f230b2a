import type { GroupVersionKind, StructSchema } from '@keelson/apimachinery'
import type { ApiTypes, GroupVersionTypes, KindType } from './kind-type.ts'

/** Kinds of meta/v1 that clients may send under any group version. */
const kindsInEveryVersion: ReadonlySet<string> = new Set([
  'CreateOptions',
  'DeleteOptions',
  'GetOptions',
  'ListOptions',
  'PatchOptions',
  'UpdateOptions',
  'WatchEvent',
])

/** A registry of API types to which group versions can be added, and from which they can be removed. */
export interface ApiTypesRegistry extends ApiTypes {
  /**
   * Adds the types of a group version. Returns a function that removes them. If several modules add the same group version, its kinds stay until
   * the last of these modules is removed.
   */
  add(module: GroupVersionTypes): () => void
}

/** Creates a registry with the types of these group versions. */
export function createApiTypes(modules: readonly GroupVersionTypes[]): ApiTypesRegistry {
  /** The added modules that have a kind, by kind. The last one is used. */
  const kinds = new Map<string, KindType[]>()
  const common = new Map<string, KindType[]>()
  /** The added modules by the prefix of their OpenAPI definitions. The first one is used. */
  const modulesByPrefix = new Map<string, GroupVersionTypes[]>()

  function add(module: GroupVersionTypes): () => void {
    const removals = [addTo(modulesByPrefix, module.table.definition, module)]
    for (const kind of module.kinds) {
      const { gvk } = kind
      removals.push(addTo(kinds, keyOf(gvk), kind))
      if (module.groupVersion.group === 'meta.k8s.io' && kindsInEveryVersion.has(gvk.kind)) removals.push(addTo(common, gvk.kind, kind))
    }
    return () => {
      for (const remove of removals.splice(0)) remove()
    }
  }

  for (const module of modules) add(module)
  return {
    add,
    kind: (gvk: GroupVersionKind): KindType | undefined => (kinds.get(keyOf(gvk)) ?? common.get(gvk.kind))?.at(-1),
    findSchema(definition: string): StructSchema | undefined {
      const dot = definition.lastIndexOf('.')
      const prefix = definition.slice(0, dot)
      return modulesByPrefix.get(prefix)?.[0]!.table.struct(definition.slice(dot + 1))
    },
  }
}

/** Adds a value to the list of a key. Returns a function that removes it. */
function addTo<T>(lists: Map<string, T[]>, key: string, value: T): () => void {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [value])
  else list.push(value)
  return () => {
    const values = lists.get(key)!
    values.splice(values.indexOf(value), 1)
    if (values.length === 0) lists.delete(key)
  }
}

function keyOf({ group, version, kind }: GroupVersionKind): string {
  return `${group}/${version}/${kind}`
}
