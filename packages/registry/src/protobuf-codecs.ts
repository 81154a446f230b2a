import { decodeUnknown, encodeUnknown, FieldSets, hasProtoMagic } from '@keelson/api'
import type { ApiTypes, KindType } from '@keelson/api'
import { decodeStruct, encodeJson, formatGroupVersion, parseGroupVersion, parseJson } from '@keelson/apimachinery'
import type { GroupVersionKind, JsonObject, KubeObject, Scheme } from '@keelson/apimachinery'
import { CorruptObjectError } from '@keelson/storagebackend'
import { RecentRecords } from './recent-records.ts'
import { recordCodecs } from './record-codecs.ts'
import type { CodecFactory } from './rest-options.ts'

export interface ProtobufCodecsOptions {
  /** The types of every version that may be stored. */
  readonly types: ApiTypes
  /** Defaults and conversions for values that other versions of the server wrote. */
  readonly scheme: Scheme
  /** The encoding of writes; both are read. Default protobuf. */
  readonly mediaType?: StorageMediaType
}

export type StorageMediaType = 'application/vnd.kubernetes.protobuf' | 'application/json'

/** Groups that kube-apiserver stores as JSON: their kinds have no protobuf encoding. */
const jsonGroups: ReadonlySet<string> = new Set(['apiextensions.k8s.io', 'apiregistration.k8s.io'])

/**
 * The codecs of a store that is shared with kube-apiserver: protobuf in its envelope (`k8s\0`), or JSON. A stored value, in either encoding
 * and any known version, is decoded, defaulted and converted once, when it is read; from then on it is a record like those of the embedded store.
 */
export function protobufCodecs({ types, scheme, mediaType }: ProtobufCodecsOptions): CodecFactory {
  // A record never leaves memory here, so there is only one schema version.
  const records = recordCodecs({ schemaVersion: 1 })
  const recent = new RecentRecords()
  // The decoded object becomes a record and is dropped.
  const source = { types, scheme, fieldSets: new FieldSets() }
  return (request) => {
    const { kind, namedByKey = false, storedVersion = kind.gvk.version, defaultOnRead } = request
    const storedKind = { ...kind.gvk, version: storedVersion }
    const record = records(request)
    // Reading values of other kinds converts them, defaults them or adds their name.
    const readAsWritten = !namedByKey && storedVersion === kind.gvk.version && defaultOnRead === undefined
    const asJson = mediaType === 'application/json' || kind.isJsonOnly === true || jsonGroups.has(kind.gvk.group)
    return {
      encode(object, key) {
        const stored = withoutResourceVersion(object)
        if (namedByKey) delete stored.metadata.name
        if (asJson) return encodeJsonValue(kind, stored)
        const value = encodeUnknown(storedKind, kind.encodeProto(stored))
        // The value is opened at once, and decoding it would give the same object.
        if (key !== undefined && readAsWritten) recent.set(record, key, value, record.encode(object))
        return value
      },
      open(key, value, revision) {
        const known = recent.get(record, key, value)
        if (known !== undefined) return record.open(key, known, revision)
        const object = decode(source, kind.gvk, { key, namedByKey }, value)
        const made = record.encode(object as Parameters<typeof record.encode>[0])
        recent.set(record, key, value, made)
        return record.open(key, made, revision)
      },
    }
  }
}

interface Place {
  readonly key: string
  readonly namedByKey: boolean
}

interface Source {
  readonly types: ApiTypes
  readonly scheme: Scheme
  readonly fieldSets: FieldSets
}

function decode(source: Source, hub: GroupVersionKind, { key, namedByKey }: Place, value: Uint8Array): KubeObject {
  const { types, scheme } = source
  let found: { readonly gvk: GroupVersionKind; readonly object: KubeObject }
  try {
    found = hasProtoMagic(value) ? decodeProtobuf(source, value) : decodeJsonValue(types, value)
  } catch (cause) {
    throw new CorruptObjectError(`the stored ${hub.kind} ${key} cannot be decoded: ${(cause as Error).message}`, { cause })
  }
  const { gvk, object } = found
  const itsHub = scheme.hubOf(gvk) ?? gvk
  if (itsHub.group !== hub.group || itsHub.version !== hub.version || itsHub.kind !== hub.kind) {
    throw new CorruptObjectError(`under ${key} is no ${hub.kind} but a ${formatGroupVersion(gvk)} ${gvk.kind}`)
  }
  if (namedByKey) object.metadata = { name: key.slice(key.lastIndexOf('/') + 1), ...object.metadata }
  if (!object.metadata?.name) throw new CorruptObjectError(`the stored ${hub.kind} ${key} has no name`)
  if (scheme.registration(gvk) === undefined) return object
  scheme.setDefaults(gvk, object)
  return scheme.toHub(gvk, object)
}

function decodeProtobuf({ types, fieldSets }: Source, value: Uint8Array): { gvk: GroupVersionKind; object: KubeObject } {
  const { gvk, raw, contentEncoding } = decodeUnknown(value)
  if (contentEncoding !== '') throw new Error(`the content encoding ${JSON.stringify(contentEncoding)} is not known`)
  return { gvk, object: typeOf(types, gvk).decodeProto(raw, fieldSets) }
}

function decodeJsonValue(types: ApiTypes, value: Uint8Array): { gvk: GroupVersionKind; object: KubeObject } {
  const json = parseJson(value).value as JsonObject | null
  if (typeof json !== 'object' || json === null) throw new Error('it is neither protobuf nor a JSON object')
  const { apiVersion, kind } = json
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') throw new Error('it does not say what kind it is')
  const gvk = { ...parseGroupVersion(apiVersion), kind }
  return { gvk, object: decodeStruct(typeOf(types, gvk).schema, json).object as unknown as KubeObject }
}

function typeOf(types: ApiTypes, gvk: GroupVersionKind): KindType {
  const type = types.kind(gvk)
  if (type === undefined) throw new Error(`the kind ${formatGroupVersion(gvk)} ${gvk.kind} is not known`)
  return type
}

/** JSON as kube-apiserver writes it: the type first, a line feed at the end. */
function encodeJsonValue(kind: KindType, object: KubeObject): Uint8Array {
  const { kind: _kind, apiVersion: _apiVersion, ...rest } = object
  const typed = { kind: kind.gvk.kind, apiVersion: formatGroupVersion(kind.gvk), ...rest }
  return Buffer.from(`${encodeJson(kind.schema, decodeStruct(kind.schema, typed as unknown as JsonObject).object)}\n`)
}

function withoutResourceVersion(object: KubeObject): KubeObject {
  const { resourceVersion: _resourceVersion, ...metadata } = object.metadata
  return { ...object, metadata }
}
