import type { DeepReadonly, KubeObject } from '@keelson/apimachinery'
import { canonicalJson } from './canonical-json.ts'
import { CorruptObjectError } from './errors.ts'
import { findSplice } from './json-splice.ts'
import { encodeRecord, headerBytes, recordFormat } from './record-format.ts'
import type { ObjectCodec, StoredObject } from './storage.ts'
import { StoredRecord } from './stored-record.ts'

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
}

/** The codec of the embedded drivers: a small header for what selection needs, then the JSON body. */
export function createRecordCodec<T extends KubeObject = KubeObject>(options: RecordCodecOptions<T>): ObjectCodec<T> {
  const { kind, schemaVersion, upgrade } = options
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
      schemaVersion,
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
    const object = stored.copy()
    return open(key, encode(upgrade && written !== schemaVersion ? upgrade(object, written) : object), revision)
  }

  return { encode, open }
}

/** A shallow copy without kind, apiVersion and resourceVersion. */
function strip<T extends KubeObject>(object: T): T {
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
