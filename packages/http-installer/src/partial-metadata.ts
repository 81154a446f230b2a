import { stringifyJson } from '@keelson/apimachinery'
import type { ObjectMeta } from '@keelson/apimachinery'
import { encodeUnknown } from '@keelson/api'
import type { RestResult } from '@keelson/registry'
import { isStoredObject, metadataEnd } from '@keelson/storagebackend'
import { pieceBytes } from './json-piece.ts'
import type { JsonPiece } from './json-piece.ts'
import { metaType } from './meta-types.ts'
import type { Transform } from './negotiate.ts'
import { asBuffer } from './object-encoder.ts'
import { metaOf } from './result-meta.ts'
import { typeHead } from './splice.ts'

export interface MetaKind {
  readonly group: 'meta.k8s.io'
  readonly version: Transform['version']
  readonly kind: string
}

export function metaKind(kind: string, version: Transform['version']): MetaKind {
  return { group: 'meta.k8s.io', version, kind }
}

const heads = { v1: typeHead('PartialObjectMetadata', 'meta.k8s.io/v1'), v1beta1: typeHead('PartialObjectMetadata', 'meta.k8s.io/v1beta1') }
const closing = Buffer.from('}')

/** An object's metadata alone, as JSON without line feed. Metadata is the same in all versions, so the stored bytes will do. */
export function partialPiece(result: RestResult, version: Transform['version']): JsonPiece {
  if (isStoredObject(result)) {
    const end = metadataEnd(result)
    if (end !== undefined) {
      const object = { body: result.body.subarray(0, end), spliceAt: result.spliceAt, revision: result.revision }
      return { head: heads[version], object, tail: closing }
    }
  }
  return Buffer.concat([heads[version], Buffer.from(`"metadata":${stringifyJson(metaOf(result))}}`)])
}

/** The same in bytes of its own. */
export function partialJson(result: RestResult, version: Transform['version']): Buffer {
  return pieceBytes(partialPiece(result, version))
}

/** With its envelope. */
export function partialProto(result: RestResult, version: Transform['version']): Buffer {
  return asBuffer(encodeUnknown(metaKind('PartialObjectMetadata', version), partialMessage(result)))
}

/** The bare message, as lists hold it. */
export function partialMessage(result: RestResult): Uint8Array {
  return metaType('PartialObjectMetadata').encodeProto({ metadata: metaOf(result) as ObjectMeta })
}
