import type { DeepReadonly, KubeObject } from '@keelson/apimachinery'
import { canonicalJson } from './canonical-json.ts'
import { CorruptObjectError } from './errors.ts'
import { findSplice } from './json-splice.ts'
import { LabelSets, type LabelSet } from './label-sets.ts'
import { encodeRecord, headerBytes, labelsAt, labelsEnd, recordFormat } from './record-format.ts'
import { recordMatcher } from './record-matcher.ts'
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
