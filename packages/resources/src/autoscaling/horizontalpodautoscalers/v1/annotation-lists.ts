import { autoscalingV1 } from '@keelson/api/autoscaling/v1'
import { canonicalizeStruct, decodeStruct, encodeJson, parseJson } from '@keelson/apimachinery'
import type { JsonValue, StructSchema } from '@keelson/apimachinery'

type Item = 'HorizontalPodAutoscalerCondition' | 'MetricSpec' | 'MetricStatus'

export function encodeList(type: Item, items: readonly object[]): string {
  const schema = resolveSchema(type)
  return `[${items.map((item) => encodeJson(schema, canonicalizeStruct(schema, item))).join(',')}]`
}

/** Decodes the list in an annotation. Returns undefined if the annotation is missing or invalid, because kube-apiserver ignores it then. */
export function decodeList<T>(type: Item, text: string | undefined): T[] | undefined {
  if (text === undefined) return undefined
  try {
    const list = parseJson(text).value
    if (list === null) return []
    if (!Array.isArray(list)) return undefined
    return list.map((item: JsonValue) => decodeStruct<T & object>(resolveSchema(type), item).object as T)
  } catch {
    return undefined
  }
}

function resolveSchema(type: Item): StructSchema {
  return autoscalingV1.table.struct(type)!
}
