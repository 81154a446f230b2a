import { measureUtf8Bytes, stringifyJson } from '../go-text.ts'
import { isJsonObject } from '../json-value.ts'
import type { JsonObject, KubeObject } from '../meta.ts'
import { sortMembers } from './path-element.ts'
import { compareValuesOfType } from './compare.ts'
import { subtractSet, leaf } from './field-set.ts'
import type { FieldSet } from './field-set.ts'
import { toFieldSet } from './to-field-set.ts'
import type { TypedObject } from './merge-type.ts'
import { validateTyped } from './validate-typed.ts'

/** The annotation in which client-side apply stores its last configuration. */
export const lastAppliedAnnotation = 'kubectl.kubernetes.io/last-applied-configuration'
/** Field manager of kubectl. Only its fields migrate from client-side apply automatically. */
export const clientSideApplier = 'kubectl'
const maxAnnotationsSize = 256 * 1024

/** Returns the fields whose values client-side apply set last. `kubectl` may take these fields from any owner without force. */
export function findLastAppliedFields(live: TypedObject): FieldSet {
  const { metadata } = live.value as unknown as KubeObject
  const text = metadata.annotations?.[lastAppliedAnnotation]
  if (text === undefined || text === '') return leaf
  try {
    const { kind: _, apiVersion, ...config } = JSON.parse(text) as JsonObject
    if (apiVersion !== live.apiVersion) return leaf
    validateTyped(live.type, config)
    const claimed = toFieldSet(live.type, config)
    const comparison = compareValuesOfType(live.type, config, live.value)
    return comparison === undefined ? claimed : subtractSet(subtractSet(claimed, comparison.modified), comparison.removed)
  } catch {
    return leaf
  }
}

/** Writes the applied configuration to the annotation of client-side apply. Does nothing if the object does not have that annotation. */
export function updateLastApplied({ metadata }: KubeObject, config: JsonObject): void {
  const { annotations } = metadata
  if (!annotations?.[lastAppliedAnnotation]) return
  annotations[lastAppliedAnnotation] = `${stringifyJson(sortMembers(withoutAnnotation(config)))}\n`
  let size = 0
  for (const [key, value] of Object.entries(annotations)) size += measureUtf8Bytes(key) + measureUtf8Bytes(value)
  if (size > maxAnnotationsSize) delete annotations[lastAppliedAnnotation]
}

function withoutAnnotation(config: JsonObject): JsonObject {
  const metadata = config['metadata'] as JsonObject | undefined
  const annotations = metadata?.['annotations']
  if (!isJsonObject(annotations)) return config
  const { [lastAppliedAnnotation]: _, ...others } = annotations
  return { ...config, metadata: { ...metadata, annotations: others } }
}
