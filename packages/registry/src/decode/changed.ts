import { asSent, copyObject, decodeStruct, isJsonObject, parseJson, setOwn, stringifyJson } from '@keelson/apimachinery'
import type { Decoded, DecodeOptions, JsonObject, JsonValue, KubeObject, StructSchema } from '@keelson/apimachinery'

/**
 * Decodes a document that was patched from `current`, an object of this schema. Only the changed members are decoded: members that are identical to
 * those of `current` are copied, in maps of texts entry by entry. Managed fields are shared: nobody changes them in place.
 */
export function decodeChanged(schema: StructSchema, changed: JsonObject, current: KubeObject, options: DecodeOptions): Decoded<KubeObject> {
  const parts = split(schema, changed, current as unknown as JsonObject)
  const decoded = parts.keeps ? decodeRest(schema, parts.rest, options) : undefined
  // Errors are those of the whole document.
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

/** Spells numbers the way they are stored. */
function decodeWhole(schema: StructSchema, value: JsonObject, options: DecodeOptions): Decoded<KubeObject> {
  return decodeStruct<KubeObject>(schema, parseJson(stringifyJson(value)), { ...options, owned: true })
}

/** The members of a struct, divided into unchanged ones and ones to decode. */
interface Parts {
  readonly kept: ReadonlyMap<string, JsonValue>
  readonly inner: ReadonlyMap<string, Parts>
  /** Maps of texts, whole, with unchanged entries. */
  readonly texts: ReadonlyMap<string, JsonObject>
  readonly rest: JsonObject
  /** A member is unchanged, here or further below. */
  readonly keeps: boolean
}

const typeMeta: ReadonlySet<string> = new Set(['kind', 'apiVersion'])
const nothingKept: Parts = { kept: new Map(), inner: new Map(), texts: new Map(), rest: {}, keeps: false }

function split(schema: StructSchema, changed: JsonObject, current: JsonObject): Parts {
  const kept = new Map<string, JsonValue>()
  const inner = new Map<string, Parts>()
  const texts = new Map<string, JsonObject>()
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
    } else if (type.kind === 'map' && type.values.kind === 'string' && isJsonObject(value) && isJsonObject(before)) {
      const other = otherEntries(value, before)
      if (other !== value) texts.set(name, value)
      if (other !== undefined) rest[name] = other
    } else rest[name] = value
  }
  return { kept, inner, texts, rest, keeps: kept.size > 0 || inner.size > 0 || texts.size > 0 }
}

/** The entries that changed: `map` itself if all did, undefined if none did. */
function otherEntries(map: JsonObject, before: JsonObject): JsonObject | undefined {
  let other: JsonObject | undefined
  let same = 0
  for (const key in map) {
    const value = map[key]!
    if (typeof value === 'string' && Object.hasOwn(before, key) && before[key] === value) same++
    else setOwn((other ??= {}), key, value)
  }
  return same === 0 ? map : other
}

/** Joins the members in the schema's order, like decoding. */
function putBack(schema: StructSchema, { kept, inner, texts }: Parts, decoded: JsonObject): JsonObject {
  const whole: JsonObject = {}
  for (const { name, type } of schema.fields) {
    const same = kept.get(name)
    const parts = inner.get(name)
    const map = texts.get(name)
    if (same !== undefined) whole[name] = name === 'managedFields' ? same : copyObject(same)
    else if (parts !== undefined) whole[name] = putBack(type as StructSchema, parts, (decoded[name] ?? {}) as JsonObject)
    else if (map !== undefined) whole[name] = putBackTexts(map, decoded[name] ?? {})
    else if (decoded[name] !== undefined) whole[name] = decoded[name]
  }
  return asSent(whole, decoded)
}

/** Joins the entries in the order of their keys, like decoding. */
function putBackTexts(map: JsonObject, decoded: JsonValue): JsonObject {
  const others = decoded as JsonObject
  const whole: JsonObject = {}
  for (const key of Object.keys(map).sort()) setOwn(whole, key, Object.hasOwn(others, key) ? others[key] : map[key])
  return whole
}
