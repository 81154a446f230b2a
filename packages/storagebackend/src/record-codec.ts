import type { DeepReadonly, KubeObject } from '@keelson/apimachinery'
import { CorruptObjectError } from './errors.ts'
import { LabelSets, createRecordMatcher } from './record-matcher.ts'
import type { LabelSet } from './record-matcher.ts'
import { encodeRecord, headerBytes, labelsAt, labelsEnd, recordFormat } from './record-format.ts'
import type { ObjectCodec, Predicate, StoredObject } from './storage.ts'
import { StoredRecord } from './stored-record.ts'

/** Defaults of a kind that are set when an object is read. */
export interface DefaultOnRead<T extends KubeObject = KubeObject> {
  /** Returns true if the object lacks any of the defaults. Returns false after `fill`. */
  isDue(object: DeepReadonly<T>): boolean
  /** Sets the defaults in place. */
  fill(object: T): void
}

export interface RecordCodecOptions<T extends KubeObject> {
  /** The kind that error messages name. */
  readonly kind: string
  /**
   * The version of the encoding. Increase it whenever existing objects would be encoded differently (changed defaults, conversions or
   * selectable fields).
   */
  readonly schemaVersion: number
  /**
   * Selectable fields besides metadata.name and metadata.namespace. Each function returns the field's value, or "" if the field is unset.
   */
  readonly selectableFields?: Readonly<Record<string, (object: DeepReadonly<T>) => string>>
  /**
   * Returns the object as compact JSON, with members in the kind's order, so that equal objects give equal text. Default: metadata first,
   * then all other members sorted by name.
   */
  readonly toJson?: (object: T) => string
  /** Converts an object that was written with another schema version. Default: returns the object unchanged. */
  readonly upgrade?: (object: T, schemaVersion: number) => T
  /**
   * Defaults that are set when an object is read. Stored objects lack them, so writing a read object back unchanged is a change. Default:
   * none.
   */
  readonly defaultOnRead?: DefaultOnRead<T> | undefined
}

/** The schema version of a stored object that lacks defaults. All other schema versions are greater than 0. */
const unfilled = 0

/**
 * Creates the codec for drivers that store records. A record is a small header with labels and selectable fields, followed by the object as
 * JSON.
 */
export function createRecordCodec<T extends KubeObject = KubeObject>(options: RecordCodecOptions<T>): ObjectCodec<T> {
  const { kind, schemaVersion, upgrade, defaultOnRead } = options
  const toJson = options.toJson ?? canonicalJson
  const extractors: Record<string, (object: DeepReadonly<T>) => string> = {
    'metadata.name': (object) => (object as DeepReadonly<KubeObject>).metadata.name ?? '',
    'metadata.namespace': (object) => (object as DeepReadonly<KubeObject>).metadata.namespace ?? '',
    ...options.selectableFields,
  }
  const fieldNames = Object.keys(extractors)
  const extract = Object.values(extractors)
  const fieldsChecksum = computeChecksum(fieldNames)

  function encode(object: T): Uint8Array {
    const stripped = strip(object)
    const json = toJson(stripped)
    return encodeRecord({
      schemaVersion: defaultOnRead?.isDue(stripped as DeepReadonly<T>) === true ? unfilled : schemaVersion,
      fieldsChecksum,
      labels: object.metadata.labels,
      fields: extract.map((field) => field(stripped as DeepReadonly<T>)),
      json,
      spliceAt: findSplice(json),
    })
  }

  function open(key: string, value: Uint8Array, revision: number): StoredObject<T> {
    const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength)
    if (bytes.length < headerBytes || bytes[0] !== recordFormat) {
      throw new CorruptObjectError(`the stored ${kind} ${key} has an unknown encoding`)
    }
    const bodyAt = bytes.readUInt32BE(9)
    if (bodyAt >= bytes.length || bytes.readUInt32BE(13) > bytes.length - bodyAt)
      throw new CorruptObjectError(`the stored ${kind} ${key} is truncated`)
    const written = bytes.readUInt32BE(1)
    const stored = new StoredRecord<T>(key, bytes, revision, fieldNames)
    if (written === schemaVersion && bytes.readUInt32BE(5) === fieldsChecksum) return stored
    const copy = stored.copy()
    const object = upgrade && written !== schemaVersion && written !== unfilled ? upgrade(copy, written) : copy
    if (defaultOnRead?.isDue(object as DeepReadonly<T>) === true) defaultOnRead.fill(object)
    return open(key, encode(object), revision)
  }

  const labelSets = new LabelSets()

  function labelSetOf(value: Uint8Array): LabelSet | undefined {
    return isPlain(value) ? labelSets.of(value.subarray(labelsAt, labelsEnd(value))) : undefined
  }

  /** Returns true if the record has this codec's schema version and a complete header. */
  function isPlain(value: Uint8Array): boolean {
    if (value.length < headerBytes || value[0] !== recordFormat || uint32(value, 9) >= value.length) return false
    return uint32(value, 1) === schemaVersion && uint32(value, 5) === fieldsChecksum
  }

  const headers = { labelSetOf, matcher: (predicate: Predicate) => createRecordMatcher(predicate, fieldNames) }
  return { encode, open, headers }
}

function uint32(bytes: Uint8Array, at: number): number {
  return ((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!) >>> 0
}

/** Removes kind, apiVersion and resourceVersion. Returns a shallow copy if the object has any of them, otherwise the object itself. */
function strip<T extends KubeObject>(object: T): T {
  if (!('resourceVersion' in object.metadata || 'kind' in object || 'apiVersion' in object)) return object
  const { kind: _kind, apiVersion: _apiVersion, ...rest } = object
  const { resourceVersion: _resourceVersion, ...metadata } = object.metadata
  return { ...rest, metadata } as unknown as T
}

/** Computes the FNV-1a hash of a list of names. */
function computeChecksum(names: readonly string[]): number {
  let hash = 0x811c9dc5
  for (const c of names.join('\n')) hash = Math.imul(hash ^ c.codePointAt(0)!, 0x01000193) >>> 0
  return hash
}

/** The members of metadata that come before `resourceVersion` in kube-apiserver's JSON. */
const before: ReadonlySet<string> = new Set(['name', 'generateName', 'namespace', 'selfLink', 'uid'])

/**
 * Returns the position in an object's JSON at which responses insert `,"resourceVersion":"…"`. It follows the metadata members that come
 * before resourceVersion. `text` is compact JSON without kind and apiVersion. Its metadata must start with such a member, for example the
 * name.
 */
export function findSplice(text: string): number {
  let at = metadataStart(text)
  let splice = -1
  while (text.charCodeAt(at) === quote) {
    const keyEnd = skipString(text, at)
    if (!before.has(text.slice(at + 1, keyEnd - 1))) break
    splice = at = skipValue(text, keyEnd + 1)
    if (text.charCodeAt(at) !== comma) break
    at++
  }
  if (splice < 0) throw new Error('the metadata of a stored object must start with its name')
  return splice
}

const quote = 0x22
const comma = 0x2c
const backslash = 0x5c

/** Returns the position after the "{" of the object's metadata. */
function metadataStart(text: string): number {
  const first = '{"metadata":{'
  if (text.startsWith(first)) return first.length
  let at = 1
  while (text.charCodeAt(at) === quote) {
    const keyEnd = skipString(text, at)
    if (text.startsWith('"metadata":{', at)) return keyEnd + 2
    at = skipValue(text, keyEnd + 1) + 1
  }
  throw new Error('a stored object must have metadata')
}

function skipString(text: string, at: number): number {
  for (let i = at + 1; ;) {
    const end = text.indexOf('"', i)
    let slashes = 0
    while (text.charCodeAt(end - 1 - slashes) === backslash) slashes++
    if (slashes % 2 === 0) return end + 1
    i = end + 1
  }
}

function skipValue(text: string, at: number): number {
  const opening = text.charCodeAt(at)
  if (opening === quote) return skipString(text, at)
  let depth = 0
  for (let i = at; i < text.length; i++) {
    const c = text.charCodeAt(i)
    if (c === quote) i = skipString(text, i) - 1
    else if (c === 0x7b || c === 0x5b) depth++
    else if (c === 0x7d || c === 0x5d) {
      if (depth === 0) return i
      if (--depth === 0) return i + 1
    } else if (c === comma && depth === 0) return i
  }
  return text.length
}

/**
 * Formats an object as compact JSON, with the same text for equal objects. Metadata comes first, and starts with the members that precede
 * `resourceVersion`. All other members are sorted by name. Used for kinds without a schema.
 */
export function canonicalJson(object: object): string {
  const { metadata, ...rest } = object as { metadata?: Record<string, unknown> }
  const members = [`"metadata":${metadataJson(metadata ?? {})}`]
  pushMembers(members, rest)
  return `{${members.join(',')}}`
}

function metadataJson(metadata: Record<string, unknown>): string {
  const { name, generateName, namespace, selfLink, uid, ...rest } = metadata
  const members: string[] = []
  for (const [key, value] of Object.entries({ name: name ?? '', generateName, namespace, selfLink, uid })) {
    if (value !== undefined) members.push(`"${key}":${sortedJson(value)}`)
  }
  pushMembers(members, rest)
  return `{${members.join(',')}}`
}

function sortedJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map((item) => (item === undefined ? 'null' : sortedJson(item))).join(',')}]`
  const members: string[] = []
  pushMembers(members, value as Record<string, unknown>)
  return `{${members.join(',')}}`
}

function pushMembers(members: string[], object: Record<string, unknown>): void {
  for (const key of Object.keys(object).sort()) {
    const value = object[key]
    if (value !== undefined) members.push(`${JSON.stringify(key)}:${sortedJson(value)}`)
  }
}
