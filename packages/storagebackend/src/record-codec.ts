import type { DeepReadonly, KubeObject } from '@keelson/apimachinery'
import { canonicalJson } from './canonical-json.ts'
import { CorruptObjectError } from './errors.ts'
import { findSplice } from './json-splice.ts'
import { LabelSets, type LabelSet } from './label-sets.ts'
import { encodeRecord, headerBytes, labelsAt, labelsEnd, recordFormat } from './record-format.ts'
import { recordMatcher } from './record-matcher.ts'
import type { ObjectCodec, Predicate, StoredObject } from './storage.ts'
import { StoredRecord } from './stored-record.ts'

/** What a kind's objects are stored without, and are read with. */
export interface DefaultOnRead<T extends KubeObject = KubeObject> {
  /** Something is left to be filled in; not any more once `fill` has run. */
  isDue(object: DeepReadonly<T>): boolean
  /** In place. */
  fill(object: T): void
}

export interface RecordCodecOptions<T extends KubeObject> {
  /** For messages. */
  readonly kind: string
  /** Goes up whenever a body written before would now look different (defaults, conversion, selectable fields). */
  readonly schemaVersion: number
  /** Beyond metadata.name and metadata.namespace. "" when unset. */
  readonly selectableFields?: Readonly<Record<string, (object: DeepReadonly<T>) => string>>
  /** Compact JSON in the kind's order, equal for equal objects. Default: sorted by name, metadata first. */
  readonly toJson?: (object: T) => string
  /** Brings an object that another schema version wrote to this one's form. Default: it is taken as it is. */
  readonly upgrade?: (object: T, schemaVersion: number) => T
  /**
   * Objects that lack what is filled in on reading are stored so: written again as they are read, they change. Default: all are read as
   * they are stored.
   */
  readonly defaultOnRead?: DefaultOnRead<T> | undefined
}

/** The schema version of what is not as it is read. Real ones are greater. */
const unfilled = 0

/** The codec of the embedded drivers: a small header for what selection needs, then the JSON body. */
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
      throw new CorruptObjectError(`the stored ${kind} ${key} is not in a form that this version reads`)
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

  /** Whole, as far as its header tells, and of this version. */
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

/** FNV-1a: only tells one list of names from another. */
function checksum(names: readonly string[]): number {
  let hash = 0x811c9dc5
  for (const c of names.join('\n')) hash = Math.imul(hash ^ c.codePointAt(0)!, 0x01000193) >>> 0
  return hash
}
