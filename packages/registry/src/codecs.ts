import {
  canonicalizeStruct,
  encodeJson,
  decodeStruct,
  formatGroupVersion,
  parseGroupVersion,
  parseJson,
  setOwn,
} from '@keelson/apimachinery'
import type { GroupVersionKind, JsonObject, JsonValue, KubeObject, Scheme, StructSchema, TypeSchema } from '@keelson/apimachinery'
import { createRecordCodec, CorruptObjectError } from '@keelson/storagebackend'
import type { ObjectCodec } from '@keelson/storagebackend'
import { decodeUnknown, encodeUnknown, FieldSets, hasProtoMagic } from '@keelson/api'
import type { ApiTypes, KindType } from '@keelson/api'
import type { CodecFactory, CodecRequest, CustomVersions } from './rest-options.ts'

/**
 * Creates codecs for the embedded store. They encode objects as records: JSON with members in schema order, after a header of labels and
 * fields that selectors read without parsing the JSON.
 */
export function createRecordCodecs(options: { readonly schemaVersion: number }): CodecFactory {
  return ({ kind, selectableFields, defaultOnRead, versions, largeMember }) =>
    createRecordCodec({
      kind: kind.gvk.kind,
      schemaVersion: versions?.schemaVersion ?? options.schemaVersion,
      selectableFields,
      defaultOnRead,
      versions,
      largeMember: largeMember && { ...largeMember, parseExactly: createExactParser(findStruct(kind.schema, largeMember.path)) },
      parseExactly: createExactParser(kind.schema) as (text: string) => never,
      // Members are sorted in schema order, because strategies add members in any order, and equal objects must be encoded as equal bytes.
      canonicalize: (object) => sortOpenMembers(kind, canonicalizeStruct(kind.schema, object)),
      toJson: (object) => encodeJson(kind.schema, object),
    })
}

/**
 * Returns a function that parses an object exactly: the schema distinguishes integers from floating-point numbers. The history of the store keeps
 * it with each record, so it refers to the schema weakly. Otherwise it would keep the schemas of deleted definitions in memory.
 */
function createExactParser(schema: StructSchema): (text: string) => object {
  const reference = new WeakRef(schema)
  return (text) => {
    const current = reference.deref()
    return current === undefined ? (JSON.parse(text) as object) : decodeStruct<object>(current, parseJson(text), { owned: true }).object
  }
}

/** Returns the schema of the structs to which a path leads, with "*" for the items of a list. */
function findStruct(schema: StructSchema, path: readonly string[]): StructSchema {
  let type: TypeSchema | undefined = schema
  for (const step of path) {
    if (step === '*') type = type?.kind === 'list' ? type.items : undefined
    else type = type?.kind === 'struct' ? type.byName.get(step)?.type : undefined
  }
  if (type?.kind !== 'struct') throw new TypeError(`${path.join('.')} of ${schema.name} is no struct`)
  return type
}

/**
 * Returns an object with sorted members in the values that its schema does not describe. Returns the same object if they are sorted already.
 * Otherwise the order in which clients send the members of a custom resource would count as a change.
 */
function sortOpenMembers<T extends object>({ schema }: KindType, object: T): T {
  if (schema.keepsUnknown !== true) return object
  let sorted: T | undefined
  try {
    for (const [name, value] of Object.entries(object)) {
      if (schema.byName.has(name)) continue
      const member = sortMembers(value as JsonValue)
      if (member !== value) (sorted ??= { ...object })[name as keyof T] = member as T[keyof T]
    }
  } catch (error) {
    // The value has thousands of nested levels. It is stored as it was sent.
    if (error instanceof RangeError) return object
    throw error
  }
  return sorted ?? object
}

/** Returns a value whose objects have sorted members. Returns the same value if nothing changes. */
function sortMembers(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return sortItems(value) ?? value
  const keys = Object.keys(value)
  let isSorted = true
  let changed: Map<string, JsonValue> | undefined
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i]!
    if (i > 0 && keys[i - 1]! > key) isSorted = false
    const member = value[key]!
    const sorted = sortMembers(member)
    if (sorted !== member) (changed ??= new Map()).set(key, sorted)
  }
  if (isSorted && changed === undefined) return value
  const sorted: JsonObject = {}
  for (const key of isSorted ? keys : keys.sort()) setOwn(sorted, key, changed?.get(key) ?? value[key])
  return sorted
}

/** Returns the items after sorting their members. Returns undefined if nothing changes. */
function sortItems(items: readonly JsonValue[]): JsonValue[] | undefined {
  let sorted: JsonValue[] | undefined
  for (let i = 0; i < items.length; i++) {
    const item = items[i]!
    const member = sortMembers(item)
    if (member !== item) (sorted ??= [...items])[i] = member
  }
  return sorted
}

/** The parameters of `createProtobufCodecs`. */
export interface ProtobufCodecsOptions {
  /** The types of every version that the store may contain. */
  readonly types: ApiTypes
  /** Defaults and conversions for values that another version of the server wrote. */
  readonly scheme: Scheme
  /** The encoding of new values. Values in either encoding can be read. Default: protobuf. */
  readonly mediaType?: StorageMediaType
}

/** The encoding of values in a store that is shared with kube-apiserver. */
export type StorageMediaType = 'application/vnd.kubernetes.protobuf' | 'application/json'

/** Groups that kube-apiserver stores as JSON, because their kinds have no protobuf encoding. */
const jsonGroups: ReadonlySet<string> = new Set(['apiextensions.k8s.io', 'apiregistration.k8s.io'])

/**
 * Creates codecs for a store that is shared with kube-apiserver. Values are JSON, or protobuf after the prefix `k8s\0`. When a value is
 * read, it is decoded, defaulted and converted once, and kept in memory as a record like those of the embedded store.
 */
export function createProtobufCodecs({ types, scheme, mediaType }: ProtobufCodecsOptions): CodecFactory {
  // Records of this codec are kept only in memory, so all of them have the same schema version.
  const records = createRecordCodecs({ schemaVersion: 1 })
  const recent = new RecentRecords()
  // Decoded objects are discarded once they are encoded as records, so they may share sets of managed fields.
  const decoder = { types, scheme, fieldSets: new FieldSets() }
  return (request) => {
    const { kind, namedByKey = false, storedVersion = kind.gvk.version, defaultOnRead } = request
    if (request.versions !== undefined) return createCustomCodec(request, request.versions, { records, recent })
    const storedKind = { ...kind.gvk, version: storedVersion }
    const record = records(request)
    // True if a decoded value equals the object that was written: reading adds no conversion, no defaults and no name.
    const readAsWritten = !namedByKey && storedVersion === kind.gvk.version && defaultOnRead === undefined
    const asJson = mediaType === 'application/json' || kind.isJsonOnly === true || jsonGroups.has(kind.gvk.group)
    return {
      encode(object, key) {
        const stored = withoutResourceVersion(object)
        if (namedByKey) delete stored.metadata.name
        if (asJson)
          return encodeJsonValue(
            storedVersion === kind.gvk.version ? kind : findType(types, storedKind),
            scheme.fromHub(storedKind, stored),
          )
        const value = encodeUnknown(storedKind, kind.encodeProto(stored))
        // Keep the record for the next read of this value, which usually follows within milliseconds. Decoding the value would give the
        // same record.
        if (key !== undefined && readAsWritten) recent.set(record, key, value, record.encode(object))
        return value
      },
      open(key, value, revision) {
        const cached = recent.get(record, key, value)
        if (cached !== undefined) return record.open(key, cached, revision)
        const object = decode(decoder, kind.gvk, { key, namedByKey }, value)
        const encoded = record.encode(object as Parameters<typeof record.encode>[0])
        recent.set(record, key, value, encoded)
        return record.open(key, encoded, revision)
      },
    }
  }
}

interface CustomCodecParts {
  readonly records: CodecFactory
  readonly recent: RecentRecords
}

/** Creates the codec of a custom resource for a store that is shared with kube-apiserver. The apiVersion of a value says how to read it. */
function createCustomCodec<T extends KubeObject>(
  request: CodecRequest<T>,
  versions: CustomVersions<T>,
  { records, recent }: CustomCodecParts,
): ObjectCodec<T> {
  const { kind } = request
  const current = records(request)
  /** The codecs of records in other versions than the current one. Values can only have the versions that the definition had. */
  const codecsByVersion = new Map<string, ObjectCodec<T>>()
  const findCodec = (version: string): ObjectCodec<T> => {
    if (version === versions.current) return current
    let codec = codecsByVersion.get(version)
    if (codec === undefined) codecsByVersion.set(version, (codec = records({ ...request, versions: { ...versions, current: version } })))
    return codec
  }
  return {
    owns: (view) => current.owns!(view) || [...codecsByVersion.values()].some((codec) => codec.owns!(view)),
    encode(object, key) {
      const value = encodeJsonValue(kind, withoutResourceVersion(object))
      if (key !== undefined) recent.set(current, key, value, current.encode(object))
      return value
    },
    open(key, value, revision) {
      const cached = recent.get(current, key, value)
      if (cached !== undefined) return current.open(key, cached, revision)
      const { version, object } = decodeCustom<T>(kind, key, value)
      versions.refresh(object, version)
      if (version !== versions.current) versions.relabel?.(object, version)
      const codec = versions.relabel === undefined ? findCodec(version) : current
      const record = codec.encode(object)
      recent.set(codec, key, value, record)
      return codec.open(key, record, revision)
    },
  }
}

/** Decodes a stored custom object. Its metadata is decoded by the schema of `kind`, which all versions share. */
function decodeCustom<T extends KubeObject>(kind: KindType, key: string, value: Uint8Array): { version: string; object: T } {
  const { group, kind: name } = kind.gvk
  let json: ReturnType<typeof parseStoredJson>
  try {
    json = parseStoredJson(value)
  } catch (cause) {
    throw new CorruptObjectError(`cannot decode the stored ${name} ${key}: ${(cause as Error).message}`, { cause })
  }
  const stored = parseGroupVersion(json.apiVersion)
  if (stored.group !== group || json.kind !== name) {
    throw new CorruptObjectError(`expected a ${name} under ${key}, decoded ${json.apiVersion} ${json.kind}`)
  }
  const object = decodeStruct(kind.schema, json).object as unknown as T
  if (!object.metadata?.name) throw new CorruptObjectError(`the stored ${name} ${key} has no name`)
  return { version: stored.version, object }
}

interface ValueLocation {
  readonly key: string
  readonly namedByKey: boolean
}

interface ValueDecoder {
  readonly types: ApiTypes
  readonly scheme: Scheme
  readonly fieldSets: FieldSets
}

function decode(decoder: ValueDecoder, hub: GroupVersionKind, { key, namedByKey }: ValueLocation, value: Uint8Array): KubeObject {
  const { types, scheme } = decoder
  let decoded: { readonly gvk: GroupVersionKind; readonly object: KubeObject }
  try {
    decoded = hasProtoMagic(value) ? decodeProtobuf(decoder, value) : decodeJsonValue(types, value)
  } catch (cause) {
    throw new CorruptObjectError(`cannot decode the stored ${hub.kind} ${key}: ${(cause as Error).message}`, { cause })
  }
  const { gvk, object } = decoded
  const storedHub = scheme.findHub(gvk) ?? gvk
  if (storedHub.group !== hub.group || storedHub.version !== hub.version || storedHub.kind !== hub.kind) {
    throw new CorruptObjectError(`expected a ${hub.kind} under ${key}, decoded ${formatGroupVersion(gvk)} ${gvk.kind}`)
  }
  if (namedByKey) object.metadata = { name: key.slice(key.lastIndexOf('/') + 1), ...object.metadata }
  if (!object.metadata?.name) throw new CorruptObjectError(`the stored ${hub.kind} ${key} has no name`)
  if (scheme.registration(gvk) === undefined) return object
  scheme.setDefaults(gvk, object)
  return scheme.toHub(gvk, object)
}

function decodeProtobuf({ types, fieldSets }: ValueDecoder, value: Uint8Array): { gvk: GroupVersionKind; object: KubeObject } {
  const { gvk, raw, contentEncoding } = decodeUnknown(value)
  if (contentEncoding !== '') throw new Error(`unknown content encoding ${JSON.stringify(contentEncoding)}`)
  return { gvk, object: findType(types, gvk).decodeProto(raw, fieldSets) }
}

function decodeJsonValue(types: ApiTypes, value: Uint8Array): { gvk: GroupVersionKind; object: KubeObject } {
  const json = parseStoredJson(value)
  const gvk = { ...parseGroupVersion(json.apiVersion), kind: json.kind }
  return { gvk, object: decodeStruct(findType(types, gvk).schema, json).object as unknown as KubeObject }
}

function parseStoredJson(value: Uint8Array): JsonObject & { apiVersion: string; kind: string } {
  const json = parseJson(value).value as JsonObject | null
  if (typeof json !== 'object' || json === null) throw new Error('the value is neither protobuf nor a JSON object')
  const { apiVersion, kind } = json
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') throw new Error('the value has no apiVersion or kind')
  return { ...json, apiVersion, kind }
}

function findType(types: ApiTypes, gvk: GroupVersionKind): KindType {
  const type = types.kind(gvk)
  if (type === undefined) throw new Error(`unknown kind ${formatGroupVersion(gvk)} ${gvk.kind}`)
  return type
}

/** Encodes an object as JSON, with kube-apiserver's layout of stored JSON: kind and apiVersion first, and a line feed at the end. */
function encodeJsonValue(kind: KindType, object: KubeObject): Uint8Array {
  const { kind: _kind, apiVersion: _apiVersion, ...rest } = object
  const typed = JSON.stringify({ kind: kind.gvk.kind, apiVersion: formatGroupVersion(kind.gvk) })
  // Decoding brings the members into the order of the schema, and drops kind and apiVersion.
  const members = encodeJson(kind.schema, sortOpenMembers(kind, decodeStruct(kind.schema, rest as unknown as JsonObject).object))
  return Buffer.from(`${typed.slice(0, -1)},${members.slice(1)}\n`)
}

function withoutResourceVersion(object: KubeObject): KubeObject {
  const { resourceVersion: _resourceVersion, ...metadata } = object.metadata
  return { ...object, metadata }
}

/**
 * The maximum size of all cached values and records, in bytes. A cached record is used within milliseconds, so the cache only has to hold
 * the writes in flight.
 */
const defaultLimit = 2 * 1024 * 1024

interface Recent {
  readonly codec: object
  readonly value: Uint8Array
  readonly record: Uint8Array
}

/**
 * Caches the decoded records of recently written values, one for each key. A write reads its value up to three times: to compare it, for
 * the response, and for the watch. The cache saves decoding the value each time. An entry is used only for the same codec, key and bytes.
 */
export class RecentRecords {
  readonly #byKey = new Map<string, Recent>()
  readonly #limit: number
  #bytes = 0

  constructor(limit: number = defaultLimit) {
    this.#limit = limit
  }

  get(codec: object, key: string, value: Uint8Array): Uint8Array | undefined {
    const recent = this.#byKey.get(key)
    return recent !== undefined && recent.codec === codec && Buffer.compare(recent.value, value) === 0 ? recent.record : undefined
  }

  set(codec: object, key: string, value: Uint8Array, record: Uint8Array): void {
    this.#remove(key)
    this.#byKey.set(key, { codec, value, record })
    this.#bytes += value.length + record.length
    if (this.#bytes <= this.#limit) return
    // A Map iterates in insertion order, so the oldest entry is removed first.
    for (const oldest of this.#byKey.keys()) {
      this.#remove(oldest)
      if (this.#bytes <= this.#limit) return
    }
  }

  #remove(key: string): void {
    const recent = this.#byKey.get(key)
    if (recent === undefined) return
    this.#byKey.delete(key)
    this.#bytes -= recent.value.length + recent.record.length
  }
}
