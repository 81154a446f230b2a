import { asSent, copyObject, decodeStruct, isJsonObject, parseJson, stringifyJson } from '@keelson/apimachinery'
import type { Decoded, DecodeOptions, JsonObject, JsonValue, KubeObject, StructSchema } from '@keelson/apimachinery'

/**
 * Decodes a document that was made of `current`, an object of this schema. Members that are the very values of `current` were decoded before: the
 * result has copies of them, and only the rest is decoded. Who manages what is no copy, for nobody changes that in place.
 */
export function decodeChanged(schema: StructSchema, changed: JsonObject, current: KubeObject, options: DecodeOptions): Decoded<KubeObject> {
  const parts = split(schema, changed, current as unknown as JsonObject)
  const decoded = parts.keeps ? decodeRest(schema, parts.rest, options) : undefined
  // What is wrong is said of the whole.
  if (decoded === undefined || decoded.strictErrors.length > 0) return decodeWhole(schema, changed, options)
  return { ...decoded, object: putBack(schema, parts, decoded.object as unknown as JsonObject) as unknown as KubeObject }
}

function decodeRest(schema: StructSchema, rest: JsonObject, options: DecodeOptions): Decoded<KubeObject> | undefined {
  try {
    return decodeWhole(schema, rest, options)
  } catch {
    return undefined
  }
}

/** Numbers are spelled as they will be stored. */
function decodeWhole(schema: StructSchema, value: JsonObject, options: DecodeOptions): Decoded<KubeObject> {
  return decodeStruct<KubeObject>(schema, parseJson(stringifyJson(value)), { ...options, owned: true })
}

/** A struct's members: as they were, or to be decoded; structs in it that are some of both. */
interface Parts {
  readonly kept: ReadonlyMap<string, JsonValue>
  readonly inner: ReadonlyMap<string, Parts>
  readonly rest: JsonObject
  /** Something is as it was, here or further below. */
  readonly keeps: boolean
}

const typeMeta: ReadonlySet<string> = new Set(['kind', 'apiVersion'])
const nothingKept: Parts = { kept: new Map(), inner: new Map(), rest: {}, keeps: false }

function split(schema: StructSchema, changed: JsonObject, current: JsonObject): Parts {
  const kept = new Map<string, JsonValue>()
  const inner = new Map<string, Parts>()
  const rest: JsonObject = {}
  for (const name of Object.keys(changed)) {
    const value = changed[name]!
    const before = Object.hasOwn(current, name) ? current[name] : undefined
    const type = schema.byName.get(name)?.type
    if (type === undefined && !typeMeta.has(name)) return nothingKept
    if (type === undefined || typeof value !== 'object' || value === null) rest[name] = value
    else if (value === before) kept.set(name, value)
    else if (type.kind === 'struct' && isJsonObject(value) && isJsonObject(before)) {
      const parts = split(type, value, before)
      if (parts.keeps) inner.set(name, parts)
      rest[name] = parts.keeps ? parts.rest : value
    } else rest[name] = value
  }
  return { kept, inner, rest, keeps: kept.size > 0 || inner.size > 0 }
}

/** In the schema's order, as decoding has them. */
function putBack(schema: StructSchema, { kept, inner }: Parts, decoded: JsonObject): JsonObject {
  const whole: JsonObject = {}
  for (const { name, type } of schema.fields) {
    const same = kept.get(name)
    const parts = inner.get(name)
    if (same !== undefined) whole[name] = name === 'managedFields' ? same : copyObject(same)
    else if (parts !== undefined) whole[name] = putBack(type as StructSchema, parts, (decoded[name] ?? {}) as JsonObject)
    else if (decoded[name] !== undefined) whole[name] = decoded[name]
  }
  return asSent(whole, decoded)
}
