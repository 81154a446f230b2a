import type { RequestContext } from '@keelson/apimachinery'
import type { RequestAudit } from '@keelson/exchange'
import type { ResultList } from '@keelson/registry'
import { isStoredObject } from '@keelson/storagebackend'
import { writeCborList } from '../cbor/write-cbor-list.ts'
import { encodePiece, writePiece } from './json-piece.ts'
import { createJsonShape, createPrettyShape, createYamlShape } from './list-shape.ts'
import type { ListShape } from './list-shape.ts'
import { sendInStep } from '../handlers/request-step.ts'
import { mediaTypes } from '../negotiation/negotiate.ts'
import type { Answer } from '../routing/served-resource.ts'
import { collect, writeSizedList } from './sized-list.ts'
import type { SlabWriter } from './slab-writer.ts'
import { measureSpliced } from './splice.ts'
import { writeInSlabs } from './write-in-slabs.ts'
import { isPretty } from './write-object.ts'
import { writeProtobufList } from './write-protobuf-list.ts'

/**
 * Writes a list to the socket, no faster than the client reads. Works in time slices and through small buffers, so the whole list is never
 * in memory.
 */
export function writeList(answer: Answer, list: ResultList): Promise<void> {
  const { exchange, negotiated } = answer
  if (exchange.span === undefined) return writeListOf(answer, list)
  return sendInStep(exchange, { mediaType: mediaTypes[negotiated.form], encoder: negotiated.form }, () => writeListOf(answer, list))
}

async function writeListOf(answer: Answer, list: ResultList): Promise<void> {
  const { exchange, served, negotiated } = answer
  exchange.audit?.beginEncoding()
  if (exchange.audit?.recordsResponse === true) list = await recordList(answer, exchange.audit, list)
  if (negotiated.form === 'protobuf') return writeProtobufList(answer, list)
  if (negotiated.form === 'cbor') return writeCborList(answer, list)
  const plain = createJsonShape(answer, list)
  const compact = exchange.addLatency === undefined || negotiated.transform === undefined ? plain : measureTransform(plain, exchange)
  const pretty = negotiated.form === 'json' && isPretty(answer)
  const shape = negotiated.form === 'yaml' ? createYamlShape(compact) : pretty ? createPrettyShape(compact) : compact
  if (served.servesHub && negotiated.form === 'json' && !pretty && negotiated.transform === undefined) {
    return writeSplicedList(answer, shape, list)
  }
  return writeInSlabs(exchange, { 'content-type': mediaTypes[negotiated.form] }, (writer) => writeItems(writer, shape, list))
}

/** Adds the time that the rows of a table or the metadata of objects take to the latencies of the request. */
function measureTransform(shape: ListShape, context: RequestContext): ListShape {
  return {
    ...shape,
    encodeItem(result) {
      const began = performance.now()
      const piece = shape.encodeItem(result)
      context.addLatency?.('transform-response-object', performance.now() - began)
      return piece
    },
  }
}

/**
 * Records a list in the audit event as compact JSON, whatever encoding the client gets. The whole list is in memory, as in kube-apiserver.
 * Returns the same list for the response, because its items may be readable only once.
 */
async function recordList(answer: Answer, audit: RequestAudit, list: ResultList): Promise<ResultList> {
  const shape = createJsonShape(answer, list)
  const texts: string[] = []
  const kind = answer.negotiated.transform?.kind === 'Table' ? 'row' : 'object'
  const items = await collect(answer.exchange, list.items, (item) =>
    texts.push(audit.formatItem(encodePiece(shape.encodeItem(item)).toString(), kind)),
  )
  const json = items.length === 0 ? shape.empty : `${shape.before}${texts.join(shape.separator)}${shape.after}`
  audit.recordList(json.trimEnd())
  return { ...list, items }
}

async function writeItems(writer: SlabWriter, shape: ListShape, list: ResultList): Promise<void> {
  const separator = Buffer.from(shape.separator)
  let start: Buffer | undefined
  for (const item of list.items) {
    start = start === undefined ? Buffer.from(shape.before) : separator
    let wait = writer.write(start)
    if (wait !== undefined) await wait
    wait = writePiece(writer, shape.encodeItem(item))
    if (wait !== undefined) await wait
    if (writer.sliceIsOver) await writer.nextSlice()
    if (writer.closed) return
  }
  await writer.write(Buffer.from(start === undefined ? shape.empty : shape.after))
}

/** Writes a list of stored JSON objects. Allocates no buffer, string or promise per item. */
async function writeSplicedList({ exchange, served: { itemHead } }: Answer, shape: ListShape, list: ResultList): Promise<void> {
  const comma = Buffer.from(',')
  const nextHead = Buffer.concat([comma, itemHead])
  let itemsLength = 0
  let head: Buffer = itemHead
  const items = await collect(exchange, list.items, (item) => {
    itemsLength += isStoredObject(item)
      ? measureSpliced(head, item)
      : head.length - itemHead.length + encodePiece(shape.encodeItem(item)).length
    head = nextHead
  })
  const writeItem = (writer: SlabWriter, item: (typeof items)[number], index: number): Promise<void> | undefined => {
    if (isStoredObject(item)) return writePiece(writer, { head: index === 0 ? itemHead : nextHead, object: item, tail: undefined })
    const bytes = encodePiece(shape.encodeItem(item))
    return writer.write(index === 0 ? bytes : Buffer.concat([comma, bytes]))
  }
  return writeSizedList(exchange, mediaTypes.json, {
    items,
    before: Buffer.from(shape.before),
    after: Buffer.from(shape.after),
    itemsLength,
    put: writeItem,
  })
}
