import { pauseIfLong, runAfter } from '@keelson/apimachinery'
import type { DeepReadonly, KubeObject } from '@keelson/apimachinery'
import { CorruptObjectError } from './errors.ts'
import type { LargeMember } from './large-members.ts'
import { LabelSets, createRecordMatcher } from './record-matcher.ts'
import type { LabelSet } from './record-matcher.ts'
import { decodeIndex, encodeRecord, headerBytes, labelsAt, findLabelsEnd, recordFormat } from './record-format.ts'
import type { ObjectCodec, Predicate, StoredObject } from './storage.ts'
import { StoredRecord } from './stored-record.ts'
import type { RecordLayout } from './stored-record.ts'

/** Defaults of a kind that are set when an object is read. */
export interface DefaultOnRead<T extends KubeObject = KubeObject> {
  /** Returns true if the object lacks any of the defaults. Returns false after `fill`. */
  isDue(object: DeepReadonly<T>): boolean
  /** Sets the defaults in place. */
  fill(object: T): void
}

/**
 * The versions in which a store may hold the objects of one custom resource. The storage version of its definition may change, and stored
 * objects keep their version and the shape of an old schema until they are written again.
 */
export interface StoredVersions<T extends KubeObject = KubeObject> {
  /** The version in which objects are encoded. */
  readonly current: string
  /**
   * Prunes an object and sets its defaults in place, by the current schema of `version`. It is called when an object is opened that was
   * written in another version or with another `schemaVersion`.
   */
  readonly refresh: (object: T, version: string) => void
  /**
   * Makes an object of `version` an object of the version `current`, in place, after `refresh`. Absent: opened objects keep the version in
   * which they are stored, and `StoredObject.storedVersion` names it.
   */
  readonly relabel?: ((object: T, version: string) => void) | undefined
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
  /** Returns the object with members in the kind's order, so that equal objects give equal text. Default: returns the object unchanged. */
  readonly canonicalize?: ((object: T) => T) | undefined
  /** Returns a canonical object as compact JSON. Default: metadata first, then all other members sorted by name. */
  readonly toJson?: (object: T) => string
  /** Converts an object that was written with another schema version. Default: returns the object unchanged. */
  readonly upgrade?: (object: T, schemaVersion: number) => T
  /**
   * Defaults that are set when an object is read. Stored objects lack them, so writing a read object back unchanged is a change. Default:
   * none.
   */
  readonly defaultOnRead?: DefaultOnRead<T> | undefined
  /** The versions of a custom resource. Records then also contain the version of their object. Default: one version, and no record has it. */
  readonly versions?: StoredVersions<T> | undefined
  /** A member that is decoded on first use. Default: objects are decoded as a whole. */
  readonly largeMember?: LargeMember | undefined
  /** Parses the JSON of an object with integers that a double may not represent. Default: JSON.parse, which rounds them. */
  readonly parseExactly?: ((text: string) => T) | undefined
}

/** The name of the header field with the version of the object. It cannot be the name of a selectable field. */
const versionField = '@version'

/** The schema version of a stored object that lacks defaults. All other schema versions are greater than 0. */
const unfilled = 0

/**
 * Creates the codec for drivers that store records. A record is a small header with labels and selectable fields, followed by the object as
 * JSON.
 */
export function createRecordCodec<T extends KubeObject = KubeObject>(options: RecordCodecOptions<T>): ObjectCodec<T> {
  const { kind, schemaVersion, upgrade, defaultOnRead, versions, largeMember, parseExactly } = options
  const toJson = options.toJson ?? formatCanonicalJson
  const extractors: Record<string, (object: DeepReadonly<T>) => string> = {
    'metadata.name': (object) => (object as DeepReadonly<KubeObject>).metadata.name ?? '',
    'metadata.namespace': (object) => (object as DeepReadonly<KubeObject>).metadata.namespace ?? '',
    ...options.selectableFields,
  }
  const fieldNames = Object.keys(extractors)
  const extract = Object.values(extractors)
  const findLayout = (storedVersion: string | undefined): CodecLayout =>
    storedVersion === undefined
      ? { fieldNames, storedVersion, largeMember, parseExactly, checksum: computeChecksum(fieldNames) }
      : // With the version in the checksum, a reader finds out whether a record has the current version without decoding the header.
        {
          fieldNames: [versionField, ...fieldNames],
          storedVersion,
          largeMember,
          parseExactly,
          checksum: computeChecksum([`${versionField} ${storedVersion}`, ...fieldNames]),
        }
  const current = findLayout(versions?.current)

  const encode = (object: T): Uint8Array => encodeAs(current, object)

  function canonicalize(object: T): T {
    const stripped = strip(object)
    return options.canonicalize === undefined ? stripped : options.canonicalize(stripped)
  }

  /** Pauses between its two steps if the object is large. */
  function encodeInSteps(object: T): Uint8Array | Promise<Uint8Array> {
    const startTime = performance.now()
    const canonical = canonicalize(object)
    return runAfter(pauseIfLong(startTime), () => encodeCanonical(current, object, canonical))
  }

  function encodeAs(layout: CodecLayout, object: T): Uint8Array {
    return encodeCanonical(layout, object, canonicalize(object))
  }

  function encodeCanonical({ storedVersion, checksum }: CodecLayout, object: T, canonical: T): Uint8Array {
    const json = toJson(canonical)
    const fields = extract.map((field) => field(canonical as DeepReadonly<T>))
    return encodeRecord({
      schemaVersion: defaultOnRead?.isDue(object as DeepReadonly<T>) === true ? unfilled : schemaVersion,
      fieldsChecksum: checksum,
      labels: object.metadata.labels,
      fields: storedVersion === undefined ? fields : [storedVersion, ...fields],
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
    const stored = new StoredRecord<T>(key, bytes, revision, current)
    if (written === schemaVersion && bytes.readUInt32BE(5) === current.checksum) return stored
    if (versions !== undefined) return refresh(versions, stored, bytes)
    const copy = stored.copy()
    const object = upgrade && written !== schemaVersion && written !== unfilled ? upgrade(copy, written) : copy
    if (defaultOnRead?.isDue(object as DeepReadonly<T>) === true) defaultOnRead.fill(object)
    return open(key, encode(object), revision)
  }

  /** The layouts of records in other versions than the current one, by version. Values can only have versions that the definition had. */
  const layouts = new Map<string, CodecLayout>()
  const otherLayouts = new Set<RecordLayout>()

  function findOtherLayout(version: string): CodecLayout {
    let layout = layouts.get(version)
    if (layout === undefined) {
      layouts.set(version, (layout = findLayout(version)))
      otherLayouts.add(layout)
    }
    return layout
  }

  /** Opens a record of another version or schema. */
  function refresh({ refresh: renew, relabel }: StoredVersions<T>, stored: StoredRecord<T>, bytes: Buffer): StoredObject<T> {
    const { key, revision } = stored
    const version = readVersion(bytes) ?? current.storedVersion!
    const object = stored.copy()
    renew(object, version)
    let layout = current
    if (version !== current.storedVersion) {
      if (relabel === undefined) layout = findOtherLayout(version)
      else relabel(object, version)
    }
    const encoded = encodeAs(layout, object)
    const renewed = Buffer.from(encoded.buffer, encoded.byteOffset, encoded.byteLength)
    // The usual case after a change of the schema: the object is still the same, so its stored bytes are used, without a copy of them.
    const isUnchanged = bytes.readUInt32BE(5) === layout.checksum && readBody(renewed).equals(readBody(bytes))
    return new StoredRecord<T>(key, isUnchanged ? bytes : renewed, revision, layout)
  }

  /** Compares the objects and versions of two records. Their schema versions may differ. */
  function isSame(value: Uint8Array, encoded: Uint8Array): boolean {
    const [a, b] = [value, encoded].map((each) => Buffer.from(each.buffer, each.byteOffset, each.byteLength)) as [Buffer, Buffer]
    if (a.equals(b)) return true
    if (a.length < headerBytes || a[0] !== recordFormat || readUint32(a, 9) >= a.length) return false
    return readBody(a).equals(readBody(b)) && readVersion(a) === readVersion(b)
  }

  const labelSets = new LabelSets()

  function readLabelSet(value: Uint8Array): LabelSet | undefined {
    return isPlain(value) ? labelSets.of(value.subarray(labelsAt, findLabelsEnd(value))) : undefined
  }

  /** Returns true if the record has this codec's schema version and a complete header. */
  function isPlain(value: Uint8Array): boolean {
    if (value.length < headerBytes || value[0] !== recordFormat || readUint32(value, 9) >= value.length) return false
    return readUint32(value, 1) === schemaVersion && readUint32(value, 5) === current.checksum
  }

  const headers = { readLabelSet, createMatcher: (predicate: Predicate) => createRecordMatcher(predicate, current.fieldNames) }
  /** The layout belongs to this codec, because a codec does not share its layouts. */
  const owns = (view: object): boolean =>
    view instanceof StoredRecord ? view.layout === current || otherLayouts.has(view.layout) : (view as LabelSet).table === labelSets
  return { encode, encodeInSteps, open, headers, ...(versions !== undefined && { isSame, owns }) }
}

interface CodecLayout extends RecordLayout {
  /** The checksum of the field names, and of the version if the records have one. */
  readonly checksum: number
}

function readBody(record: Buffer): Buffer {
  return record.subarray(record.readUInt32BE(9))
}

/** Returns the version in the header of a record. */
function readVersion(record: Buffer): string | undefined {
  return decodeIndex(record).fields[0]
}

function readUint32(bytes: Uint8Array, at: number): number {
  return ((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!) >>> 0
}

/** Removes kind, apiVersion and resourceVersion. Returns a shallow copy if the object has any of them, otherwise the object itself. */
function strip<T extends KubeObject>(object: T): T {
  if (!('resourceVersion' in object.metadata || 'kind' in object || 'apiVersion' in object)) return object
  const { kind: _kind, apiVersion: _apiVersion, ...members } = object
  const { resourceVersion: _resourceVersion, ...metadata } = object.metadata
  return { ...members, metadata } as unknown as T
}

/** Computes the FNV-1a hash of a list of names. */
function computeChecksum(names: readonly string[]): number {
  let hash = 0x811c9dc5
  for (const c of names.join('\n')) hash = Math.imul(hash ^ c.codePointAt(0)!, 0x01000193) >>> 0
  return hash
}

/** The members of metadata that come before `resourceVersion` in kube-apiserver's JSON. */
const earlyMembers: ReadonlySet<string> = new Set(['name', 'generateName', 'namespace', 'selfLink', 'uid'])

/**
 * Returns the position in an object's JSON at which responses insert `,"resourceVersion":"…"`. It follows the metadata members that come
 * before resourceVersion. `text` is compact JSON without kind and apiVersion. Its metadata must start with such a member, for example the
 * name.
 */
export function findSplice(text: string): number {
  let at = findMetadataStart(text)
  let splice = -1
  while (text.charCodeAt(at) === quote) {
    const keyEnd = skipString(text, at)
    if (!earlyMembers.has(text.slice(at + 1, keyEnd - 1))) break
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
function findMetadataStart(text: string): number {
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
export function formatCanonicalJson(object: object): string {
  const { metadata, ...otherMembers } = object as { metadata?: Record<string, unknown> }
  const members = [`"metadata":${formatMetadataJson(metadata ?? {})}`]
  pushMembers(members, otherMembers)
  return `{${members.join(',')}}`
}

function formatMetadataJson(metadata: Record<string, unknown>): string {
  const { name, generateName, namespace, selfLink, uid, ...otherMetadata } = metadata
  const members: string[] = []
  for (const [key, value] of Object.entries({ name: name ?? '', generateName, namespace, selfLink, uid })) {
    if (value !== undefined) members.push(`"${key}":${formatSortedJson(value)}`)
  }
  pushMembers(members, otherMetadata)
  return `{${members.join(',')}}`
}

function formatSortedJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map((item) => (item === undefined ? 'null' : formatSortedJson(item))).join(',')}]`
  const members: string[] = []
  pushMembers(members, value as Record<string, unknown>)
  return `{${members.join(',')}}`
}

function pushMembers(members: string[], object: Record<string, unknown>): void {
  for (const key of Object.keys(object).sort()) {
    const value = object[key]
    if (value !== undefined) members.push(`${JSON.stringify(key)}:${formatSortedJson(value)}`)
  }
}
