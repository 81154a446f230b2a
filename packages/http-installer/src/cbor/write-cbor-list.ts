import { parseJson } from '@keelson/apimachinery'
import { mediaTypes } from '../negotiation/negotiate.ts'
import type { Answer } from '../routing/served-resource.ts'
import type { ResultList } from '@keelson/registry'
import { encodePiece } from '../encoding/json-piece.ts'
import { createJsonShape } from '../encoding/list-shape.ts'
import { collect } from '../encoding/sized-list.ts'
import { writeInSlabs } from '../encoding/write-in-slabs.ts'

/** Writes a list in CBOR: first the number of items, then the items one by one. */
export async function writeCborList(answer: Answer, list: ResultList): Promise<void> {
  const { exchange, served, negotiated } = answer
  const cbor = exchange.services.cbor!
  const listShape = createJsonShape(answer, list)
  const frame = Object.entries(parseJson(listShape.empty).value as object)
  const schema = negotiated.transform === undefined ? served.type?.schema : undefined
  const items = await collect(exchange, list.items, () => {})
  return writeInSlabs(exchange, { 'content-type': mediaTypes.cbor }, async (writer) => {
    await writer.write(Buffer.concat([cbor.selfDescribed, cbor.mapHead(frame.length)]))
    for (const [name, value] of frame) {
      await writer.write(cbor.encodeCbor(name))
      if (!isItems(name) || items.length === 0) {
        await writer.write(cbor.encodeCbor(value))
        continue
      }
      await writer.write(cbor.encodeArrayHead(items.length))
      for (const item of items) {
        await writer.write(cbor.encodeCbor(parseJson(encodePiece(listShape.encodeItem(item))).value, schema))
        if (writer.sliceIsOver) await writer.nextSlice()
        if (writer.closed) return
      }
    }
  })
}

function isItems(name: string): boolean {
  return name === 'items' || name === 'rows'
}
