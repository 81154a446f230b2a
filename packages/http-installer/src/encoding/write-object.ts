import { ApiError, newNotAcceptable, parseJson } from '@keelson/apimachinery'
import type { Status } from '@keelson/apimachinery'
import { sendBytes } from '@keelson/exchange'
import type { QueryParameters, RequestAudit } from '@keelson/exchange'
import type { RestResult } from '@keelson/registry'
import { isStoredObject } from '@keelson/storagebackend'
import type { StoredObject } from '@keelson/storagebackend'
import { sendCompressible } from '../compress/send-compressed.ts'
import { formatInternalTypeName } from '@keelson/registry'
import { encodePiece } from './json-piece.ts'
import { mediaTypes, prefersPretty } from '../negotiation/negotiate.ts'
import type { Transform } from '../negotiation/negotiate.ts'
import { lineFeed, ObjectEncoder, shapeJson } from './object-encoder.ts'
import { createPartialForm, encodePartialJson, encodePartialProto } from './partial-metadata.ts'
import { parseIncludeObject } from '../handlers/read-request.ts'
import { sendResponseInStep } from '../handlers/request-step.ts'
import { getMetadata } from './rest-result.ts'
import type { Answer } from '../routing/served-resource.ts'
import { objectSlabs, spliceObject, measureSpliced, writeSpliced } from './splice.ts'
import { TableRows } from './table.ts'

/** Sends an object in the negotiated encoding, as the object itself, its metadata or a table. */
export function writeResult(answer: Answer, status: number, result: RestResult): void | Promise<void> {
  const { exchange, negotiated } = answer
  if (exchange.span === undefined) return writeObject(answer, status, result)
  const content = { mediaType: mediaTypes[negotiated.form], encoder: negotiated.form }
  return sendResponseInStep(exchange, content, () => writeObject(answer, status, result))
}

function writeObject(answer: Answer, status: number, result: RestResult): void | Promise<void> {
  const { exchange, served, negotiated, query } = answer
  const { form, transform } = negotiated
  if (exchange.audit !== undefined) recordResult(answer, exchange.audit, result)
  const pretty = form === 'json' && isPretty(answer)
  const headers = { 'content-type': mediaTypes[form] }
  if (transform === undefined || isStatus(result)) {
    if (form === 'cbor') return writeCbor(answer, status, new ObjectEncoder(served, 'json', false).whole(result).toString())
    const encoder = new ObjectEncoder(served, form, pretty)
    if (encoder.splices && isStoredObject(result)) return sendSpliced(answer, status, result)
    return sendCompressible(exchange, status, headers, encoder.whole(result))
  }
  if (form === 'protobuf') {
    if (transform.kind !== 'PartialObjectMetadata') throw newNotConvertible(transform, formatInternalTypeName(served))
    return sendCompressible(exchange, status, headers, encodePartialProto(result, createPartialForm(served, transform)))
  }
  if (form === 'cbor') return writeCbor(answer, status, transformResult(answer, transform, result, query))
  return sendCompressible(exchange, status, headers, shapeJson(transformResult(answer, transform, result, query), form, pretty))
}

/** Records the object of a response in the audit event as compact JSON, whatever encoding the client gets. */
function recordResult(answer: Answer, audit: RequestAudit, result: RestResult): void {
  const { served, negotiated, query } = answer
  const { transform } = negotiated
  audit.beginEncoding()
  if (isStatus(result)) return audit.recordStatus(result as Status)
  if (!audit.recordsResponse) return
  if (transform === undefined) return audit.recordResponse(new ObjectEncoder(served, 'json', false).embedded(result).toString())
  audit.recordResponse(transformResult(answer, transform, result, query))
}

/** Sends stored bytes through a pooled buffer, because allocating a buffer would be the largest cost of a small GET. */
function sendSpliced({ exchange, served }: Answer, status: number, object: StoredObject): void | Promise<void> {
  const headers = { 'content-type': mediaTypes.json }
  const length = measureSpliced(served.head, object) + 1
  if (length > objectSlabs.size) return sendCompressible(exchange, status, headers, spliceObject(served.head, object, lineFeed))
  const slab = objectSlabs.take()
  slab[writeSpliced(slab, 0, served.head, object)] = lineFeed[0]!
  return sendBytes(exchange, status, headers, slab.subarray(0, length), () => objectSlabs.release(slab))
}

/** Returns whether JSON is indented. The query, the media type and the user agent decide. */
export function isPretty({ exchange, query, negotiated }: Answer): boolean {
  return negotiated.pretty || prefersPretty(query, exchange.userAgent)
}

function transformResult({ served }: Answer, transform: Transform, result: RestResult, query: QueryParameters): string {
  if (transform.kind === 'PartialObjectMetadata') return encodePartialJson(result, createPartialForm(served, transform)).toString()
  if (transform.kind === 'PartialObjectMetadataList') throw newNotConvertible(transform, formatInternalTypeName(served))
  const rows = new TableRows(served, transform.version, parseIncludeObject(query))
  const { resourceVersion } = getMetadata(result)
  return `${rows.head(resourceVersion === undefined ? {} : { resourceVersion })}${encodePiece(rows.row(result)).toString()}${rows.tail}`
}

/**
 * Returns the 406 error for a list that was requested as PartialObjectMetadata, or an object that was requested as
 * PartialObjectMetadataList. `type` is the Go type in kube-apiserver's message.
 */
export function newNotConvertible(transform: Transform, type: string, isList = false): ApiError {
  if (transform.kind === 'Table') return newNotAcceptable([mediaTypes.json, mediaTypes.yaml])
  const problem = isList ? 'is a list' : 'is not a list'
  return new ApiError({
    reason: 'NotAcceptable',
    message: `you requested ${transform.kind}, but the requested object ${problem} (*${type})`,
  })
}

function isStatus(result: RestResult): boolean {
  return !isStoredObject(result) && result.kind === 'Status'
}

/**
 * Sends an object or table in CBOR, converted from its JSON. The schema of the kind distinguishes bytes from text. Kubernetes encodes text
 * as CBOR byte strings, which no library does, so the server has its own codec.
 */
function writeCbor({ exchange, served }: Answer, status: number, json: string): void | Promise<void> {
  const { value } = parseJson(json)
  const kind = (value as { kind?: unknown }).kind
  const schema = kind === served.gvk.kind ? served.type?.schema : undefined
  return sendCompressible(exchange, status, { 'content-type': mediaTypes.cbor }, exchange.services.cbor!.encodeCborDocument(value, schema))
}
