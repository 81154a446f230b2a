import type { KindType } from '@keelson/api'
import { metaV1 } from '@keelson/api/meta/v1'

const byKind = new Map<string, KindType>()

/** Returns the type of a kind of meta/v1, such as Status. These kinds belong to every group. */
export function findMetaType(kind: string): KindType {
  if (byKind.size === 0) for (const type of metaV1.kinds) byKind.set(type.gvk.kind, type)
  const type = byKind.get(kind)
  if (type === undefined) throw new Error(`meta/v1 has no ${kind}`)
  return type
}
