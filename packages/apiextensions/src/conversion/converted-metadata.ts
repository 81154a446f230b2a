import { aggregateFieldErrors, newFieldPath, isJsonObject, validateAnnotations, validateLabels } from '@keelson/apimachinery'
import type { JsonObject, JsonValue, ObjectMeta } from '@keelson/apimachinery'

/**
 * Compares the identity of an object before and after its conversion. Returns kube-apiserver's error text if the webhook changed it, and
 * otherwise undefined.
 */
export function findChangedIdentity(original: ObjectMeta, converted: JsonObject): string | undefined {
  const metadata = converted['metadata']
  for (const [member, label] of identity) {
    const before = original[member] ?? ''
    const after = readText(isJsonObject(metadata) ? metadata[member] : undefined)
    if (before !== after) return `must have the same ${label}: ${before} != ${after}`
  }
  return undefined
}

const identity = [
  ['name', 'name'],
  ['namespace', 'namespace'],
  ['uid', 'UID'],
] as const

/**
 * Returns the metadata of a converted object: the metadata before the conversion, with the labels and annotations of the webhook's response.
 * All other changes of the webhook are ignored. Returns kube-apiserver's error text if labels or annotations are invalid.
 */
export function restoreMetadata(original: ObjectMeta, converted: JsonObject): ObjectMeta | string {
  if (!Object.hasOwn(converted, 'metadata')) return 'missing metadata in converted object'
  const metadata = converted['metadata']!
  if (!isJsonObject(metadata)) return `invalid metadata of type ${getGoType(metadata)} in converted object`
  const restored: ObjectMeta = { ...original }
  for (const member of ['labels', 'annotations'] as const) {
    delete restored[member]
    const values = metadata[member]
    if (values === undefined || values === null) continue
    if (!isJsonObject(values)) return `invalid metadata.${member} of type ${getGoType(values)} in converted object`
    const texts: Record<string, string> = {}
    for (const [key, value] of Object.entries(values)) {
      if (typeof value !== 'string') return `metadata.${member}[${key}] must be a string, but is ${getGoType(value)} in converted object`
      texts[key] = value
    }
    if (!isSameMap(original[member] ?? {}, texts)) {
      const errors =
        member === 'labels'
          ? validateLabels(texts, newFieldPath('metadata', 'labels'))
          : // The singular is upstream's.
            validateAnnotations(texts, newFieldPath('metadata', 'annotation'))
      if (errors.length > 0) return aggregateFieldErrors(errors)
    }
    restored[member] = texts
  }
  return restored
}

function isSameMap(a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): boolean {
  const keys = Object.keys(b)
  return keys.length === Object.keys(a).length && keys.every((key) => Object.hasOwn(a, key) && a[key] === b[key])
}

/** Returns a text member. kube-apiserver reads members of other types as "". */
export function readText(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : ''
}

/** Returns the name of the Go type to which kube-apiserver decodes a value. Its error messages contain the name. */
function getGoType(value: JsonValue | bigint): string {
  switch (typeof value) {
    case 'string':
      return 'string'
    case 'boolean':
      return 'bool'
    case 'bigint':
      return 'int64'
    case 'number':
      return Number.isInteger(value) ? 'int64' : 'float64'
    default:
      if (value === null) return '<nil>'
      return Array.isArray(value) ? '[]interface {}' : 'map[string]interface {}'
  }
}
