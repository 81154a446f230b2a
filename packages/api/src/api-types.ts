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
  const added: GroupVersionTypes[] = []
  const kinds = new Map<string, KindType>()
  const common = new Map<string, KindType>()

  function index(module: GroupVersionTypes): void {
    for (const kind of module.kinds) {
      const { gvk } = kind
      kinds.set(keyOf(gvk), kind)
      if (module.groupVersion.group === 'meta.k8s.io' && kindsInEveryVersion.has(gvk.kind)) common.set(gvk.kind, kind)
    }
  }

  function remove(module: GroupVersionTypes): void {
    const position = added.indexOf(module)
    if (position < 0) return
    added.splice(position, 1)
    if (added.includes(module)) return
    kinds.clear()
    common.clear()
    for (const other of added) index(other)
  }

  function add(module: GroupVersionTypes): () => void {
    added.push(module)
    index(module)
    let removed = false
    return () => {
      if (!removed) remove(module)
      removed = true
    }
  }

  for (const module of modules) add(module)
  return {
    add,
    kind: (gvk: GroupVersionKind): KindType | undefined => kinds.get(keyOf(gvk)) ?? common.get(gvk.kind),
    schemaOf(definition: string): StructSchema | undefined {
      const dot = definition.lastIndexOf('.')
      const prefix = definition.slice(0, dot)
      return added.find((module) => module.table.definition === prefix)?.table.struct(definition.slice(dot + 1))
    },
  }
}

function keyOf({ group, version, kind }: GroupVersionKind): string {
  return `${group}/${version}/${kind}`
}
