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

export function createApiTypes(modules: readonly GroupVersionTypes[]): ApiTypes {
  const kinds = new Map<string, KindType>()
  const common = new Map<string, KindType>()
  for (const module of modules) {
    for (const kind of module.kinds) {
      const { gvk } = kind
      kinds.set(keyOf(gvk), kind)
      if (module.groupVersion.group === 'meta.k8s.io' && kindsInEveryVersion.has(gvk.kind)) common.set(gvk.kind, kind)
    }
  }
  return {
    kind: (gvk: GroupVersionKind): KindType | undefined => kinds.get(keyOf(gvk)) ?? common.get(gvk.kind),
    schemaOf(definition: string): StructSchema | undefined {
      const dot = definition.lastIndexOf('.')
      const prefix = definition.slice(0, dot)
      return modules.find((module) => module.table.definition === prefix)?.table.struct(definition.slice(dot + 1))
    },
  }
}

function keyOf({ group, version, kind }: GroupVersionKind): string {
  return `${group}/${version}/${kind}`
}
