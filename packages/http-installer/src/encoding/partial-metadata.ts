import { stringifyJson } from '@keelson/apimachinery'
import type { DeepReadonly, ObjectMeta } from '@keelson/apimachinery'
import { encodeUnknown } from '@keelson/api'
import type { RestResult } from '@keelson/registry'
import { findMetadata, isStoredObject } from '@keelson/storagebackend'
import type { MetadataSpan } from '@keelson/storagebackend'
import { encodePiece } from './json-piece.ts'
import type { JsonPiece } from './json-piece.ts'
import { findMetaType } from './meta-types.ts'
import type { Transform } from '../negotiation/negotiate.ts'
import { wrapInBuffer } from './object-encoder.ts'
import { getMetadata } from './rest-result.ts'
import type { ServedResource } from '../routing/served-resource.ts'
import { encodeTypeHead } from './splice.ts'

export interface MetaKind {
  readonly group: 'meta.k8s.io'
  readonly version: Transform['version']
  readonly kind: string
}

export function getMetaKind(kind: string, version: Transform['version']): MetaKind {
  return { group: 'meta.k8s.io', version, kind }
}

const heads = {
  v1: encodeTypeHead('PartialObjectMetadata', 'meta.k8s.io/v1'),
  v1beta1: encodeTypeHead('PartialObjectMetadata', 'meta.k8s.io/v1beta1'),
}
const closing = Buffer.from('}')

/** Version of PartialObjectMetadata, and names of annotations to remove. */
export interface PartialForm {
  readonly version: Transform['version']
  readonly without: readonly string[] | undefined
}

export function createPartialForm({ storage }: ServedResource, { version }: Pick<Transform, 'version'>): PartialForm {
  return { version, without: storage.specAnnotations }
}

/**
 * Returns the PartialObjectMetadata of an object in JSON, without a line feed. Copies the stored bytes of the metadata, because metadata is
 * the same in all versions.
 */
export function encodePartialPiece(result: RestResult, form: PartialForm): JsonPiece {
  return encodePartialPieceAt(result, isStoredObject(result) ? findMetadata(result) : undefined, form)
}

/** Returns the same as `encodePartialPiece`, if the position of the metadata in the stored bytes is already known. */
export function encodePartialPieceAt(result: RestResult, span: MetadataSpan | undefined, { version, without }: PartialForm): JsonPiece {
  if (span !== undefined && isStoredObject(result)) {
    const body = result.body.subarray(0, span.end)
    if (!mentions(body, without)) {
      const object = { body, spliceAt: result.spliceAt, revision: result.revision }
      return { head: heads[version], object, tail: closing }
    }
  }
  return Buffer.concat([heads[version], Buffer.from(`"metadata":${stringifyJson(readPartialMeta(result, without))}}`)])
}

/** Returns the same as `encodePartialPiece`, in a buffer of its own. */
export function encodePartialJson(result: RestResult, form: PartialForm): Buffer {
  return encodePiece(encodePartialPiece(result, form))
}

/** Returns the PartialObjectMetadata of an object in protobuf, with the `k8s\0` envelope. */
export function encodePartialProto(result: RestResult, form: PartialForm): Buffer {
  return wrapInBuffer(encodeUnknown(getMetaKind('PartialObjectMetadata', form.version), encodePartialMessage(result, form)))
}

/** Returns the PartialObjectMetadata of an object in protobuf without the envelope, for use in a list. */
export function encodePartialMessage(result: RestResult, { without }: PartialForm): Uint8Array {
  return findMetaType('PartialObjectMetadata').encodeProto({ metadata: readPartialMeta(result, without) as ObjectMeta })
}

/**
 * Returns whether the bytes contain the name of one of the annotations. If not, the object does not have the annotation and need not be
 * decoded.
 */
function mentions({ buffer, byteOffset, byteLength }: Uint8Array, annotations: PartialForm['without']): boolean {
  return annotations !== undefined && annotations.some((name) => Buffer.from(buffer, byteOffset, byteLength).includes(name))
}

function readPartialMeta(result: RestResult, without: PartialForm['without']): DeepReadonly<ObjectMeta> {
  const metadata = getMetadata(result)
  if (without === undefined || metadata.annotations === undefined) return metadata
  const annotations = Object.fromEntries(Object.entries(metadata.annotations).filter(([key]) => !without.includes(key)))
  if (Object.keys(annotations).length > 0) return { ...metadata, annotations }
  const { annotations: _, ...otherMembers } = metadata
  return otherMembers
}
