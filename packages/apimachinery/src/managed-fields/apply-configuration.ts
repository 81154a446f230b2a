import { isJsonObject } from '../json-value.ts'
import type { JsonObject, JsonValue } from '../meta.ts'
import { GoValue } from './go-value.ts'
import { mergeValues } from './merge.ts'
import { getMergeType, resolveType, TypedError } from './merge-type.ts'
import type { MergeType } from './merge-type.ts'
import { conforms, validateTyped } from './validate-typed.ts'
import type { KindSchema } from './versioned-kind.ts'

/**
 * Merges a configuration into an object like server-side apply, but without field managers, as policies do. Kind and apiVersion are those of the
 * object. Throws an error with kube-apiserver's message if the configuration does not match the schema, or if it has a member that could only
 * be replaced as a whole. Does not modify its arguments. The result shares unchanged values with them.
 */
export function applyConfiguration({ schema, mergeType }: KindSchema, object: JsonObject, configuration: JsonObject): JsonObject {
  const type = mergeType ?? getMergeType(schema)
  const { kind: _, apiVersion: __, ...config } = configuration
  const { kind, apiVersion, ...live } = object
  withContext('failed to convert patch object to typed object', () => validateTyped(type, config))
  const atomic: string[] = []
  collectAtomic(type, config, '', atomic)
  if (atomic.length > 0) throw new Error(`invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: ${atomic.join(', ')}`)
  // Decoding has made all other objects match their schema.
  if (mergeType !== undefined && !conforms(type, live)) {
    withContext('failed to convert original object to typed object', () => validateTyped(type, live, { allowsDuplicates: true }))
  }
  return { kind: kind!, apiVersion: apiVersion!, ...(mergeValues(type, live, config) as JsonObject) }
}

function withContext(context: string, validate: () => void): void {
  try {
    validate()
  } catch (error) {
    if (!(error instanceof TypedError)) throw error
    throw new Error(`${context}: ${error.message}`, { cause: error })
  }
}

/** Collects the paths of atomic values. As in kube-apiserver, the values of a map are not searched, unless they are fields of a struct. */
function collectAtomic(type: MergeType, value: JsonValue, path: string, paths: string[]): void {
  if (typeof value !== 'object' || value === null || value instanceof GoValue) return
  const resolved = resolveType(type, value)
  if (Array.isArray(value) && resolved.kind === 'list') {
    if (resolved.relationship === 'atomic') paths.push(path)
    for (const [i, item] of value.entries()) collectAtomic(resolved.items, item, `${path}[${i}]`, paths)
  } else if (isJsonObject(value) && resolved.kind === 'map') {
    if (resolved.atomic) paths.push(path)
    for (const name of Object.keys(value)) {
      const field = resolved.byName.get(name)
      if (field !== undefined) collectAtomic(field.type, value[name]!, `${path}.${name}`, paths)
    }
  }
}
