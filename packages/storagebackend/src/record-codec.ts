import type { DeepReadonly, KubeObject } from '@keelson/apimachinery'
import { CorruptObjectError } from './errors.ts'
import { LabelSets, recordMatcher } from './record-matcher.ts'
import type { LabelSet } from './record-matcher.ts'
import { encodeRecord, headerBytes, labelsAt, labelsEnd, recordFormat } from './record-format.ts'
import type { ObjectCodec, Predicate, StoredObject } from './storage.ts'
import { StoredRecord } from './stored-record.ts'

/** Defaults of a kind that are set on reading. */
export interface DefaultOnRead<T extends KubeObject = KubeObject> {
  /** True if the object lacks a default. False after `fill`. */
  isDue(object: DeepReadonly<T>): boolean
  /** Sets the defaults in place. */
  fill(object: T): void
}

export interface RecordCodecOptions<T extends KubeObject> {
  /** For error messages. */
  readonly kind: string
  /** Increase it whenever earlier bodies would be written differently now (defaults, conversion, selectable fields). */
  readonly schemaVersion: number
  /** Selectable fields in addition to metadata.name and metadata.namespace. The value of an unset field is "". */
  readonly selectableFields?: Readonly<Record<string, (object: DeepReadonly<T>) => string>>
  /** Compact JSON in the kind's field order, equal for equal objects. Default: sorted by name, metadata first. */
  readonly toJson?: (object: T) => string
  /** Converts an object that another schema version wrote. Default: unchanged. */
  readonly upgrade?: (object: T, schemaVersion: number) => T
  /**
   * Sets defaults when an object is read. An object without them is stored without them, so writing it back as it was read is a change. Default: no
   * defaults.
   */
  readonly defaultOnRead?: DefaultOnRead<T> | undefined
}

/** The schema version of an object that lacks defaults. Real versions are greater. */
const unfilled = 0

/** The codec of the embedded drivers: a small header for selectors, then the JSON body. */
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
  const fieldsChecksum = checksum(fieldNames)

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
      throw new CorruptObjectError(`the stored ${kind} ${key} is not in an encoding that this version reads`)
    }
    const bodyAt = bytes.readUInt32BE(9)
    if (bodyAt >= bytes.length || bytes.readUInt32BE(13) > bytes.length - bodyAt)
      throw new CorruptObjectError(`the stored ${kind} ${key} is cut short`)
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

  /** True for a record of this version whose header is complete. */
  function isPlain(value: Uint8Array): boolean {
    if (value.length < headerBytes || value[0] !== recordFormat || uint32(value, 9) >= value.length) return false
    return uint32(value, 1) === schemaVersion && uint32(value, 5) === fieldsChecksum
  }

  const headers = { labelSetOf, matcher: (predicate: Predicate) => recordMatcher(predicate, fieldNames) }
  return { encode, open, headers }
}

function uint32(bytes: Uint8Array, at: number): number {
  return ((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!) >>> 0
}

/** Without kind, apiVersion and resourceVersion: a shallow copy if it has them. */
function strip<T extends KubeObject>(object: T): T {
  if (!('resourceVersion' in object.metadata || 'kind' in object || 'apiVersion' in object)) return object
  const { kind: _kind, apiVersion: _apiVersion, ...rest } = object
  const { resourceVersion: _resourceVersion, ...metadata } = object.metadata
  return { ...rest, metadata } as unknown as T
}

/** FNV-1a, to distinguish lists of names. */
function checksum(names: readonly string[]): number {
  let hash = 0x811c9dc5
  for (const c of names.join('\n')) hash = Math.imul(hash ^ c.codePointAt(0)!, 0x01000193) >>> 0
  return hash
}

/** The metadata members that kube-apiserver writes before `resourceVersion`. */
const before: ReadonlySet<string> = new Set(['name', 'generateName', 'namespace', 'selfLink', 'uid'])

/**
 * The position for `,"resourceVersion":"…"` in the JSON text of an object: after the last of the leading metadata members that come before it.
 * `text` is compact JSON without kind and apiVersion; metadata must have at least one such member, the name.
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

/** The position after the "{" of the top-level metadata. */
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
 * Compact JSON that is equal for equal objects: metadata first, with the members before `resourceVersion` in their fixed order, everything else
 * sorted by name. For kinds without a schema; a schema has its own order.
 */
export function canonicalJson(object: object): string {
  const { metadata, ...rest } = object as { metadata?: Record<string, unknown> }
  const parts = [`"metadata":${metadataJson(metadata ?? {})}`]
  pushMembers(parts, rest)
  return `{${parts.join(',')}}`
}

function metadataJson(metadata: Record<string, unknown>): string {
  const { name, generateName, namespace, selfLink, uid, ...rest } = metadata
  const parts: string[] = []
  for (const [key, value] of Object.entries({ name: name ?? '', generateName, namespace, selfLink, uid })) {
    if (value !== undefined) parts.push(`"${key}":${sortedJson(value)}`)
  }
  pushMembers(parts, rest)
  return `{${parts.join(',')}}`
}

function sortedJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map((item) => (item === undefined ? 'null' : sortedJson(item))).join(',')}]`
  const parts: string[] = []
  pushMembers(parts, value as Record<string, unknown>)
  return `{${parts.join(',')}}`
}

function pushMembers(parts: string[], object: Record<string, unknown>): void {
  for (const key of Object.keys(object).sort()) {
    const value = object[key]
    if (value !== undefined) parts.push(`${JSON.stringify(key)}:${sortedJson(value)}`)
  }
}
