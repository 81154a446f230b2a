import { isStoredObject } from '@keelson/storagebackend'
import { jsonShape, prettyShape, yamlShape } from './list-shape.ts'
import type { ListShape, ResultList } from './list-shape.ts'
import { mediaTypes } from './negotiate.ts'
import { itemHead, splicedLength, writeSpliced } from './splice.ts'
import { sendBytes, sendStream } from './response.ts'
import type { InstallerContext } from './context.ts'
import { ClientGoneError } from './read-body.ts'
import type { ResponseSink } from './response.ts'
import type { Answer } from './scope.ts'
import { SlabWriter } from './slab-writer.ts'
import { writeProtobufList } from './write-protobuf-list.ts'
import { isPretty } from './write-object.ts'

/**
 * A list is a walk: items go from the snapshot to the socket in slabs, no faster than the client reads and never longer than a time slice
 * in one go. Nothing of it is kept.
 */
export async function writeList(answer: Answer, list: ResultList): Promise<Response> {
  const { c, scope, negotiated } = answer
  if (negotiated.form === 'protobuf') return writeProtobufList(answer, list)
  const compact = jsonShape(answer, list)
  const pretty = negotiated.form === 'json' && isPretty(answer)
  const shape = negotiated.form === 'yaml' ? yamlShape(compact) : pretty ? prettyShape(compact) : compact
  const splices = scope.servesHub && negotiated.form === 'json' && !pretty && negotiated.transform === undefined

  const headers = { 'content-type': mediaTypes[negotiated.form] }
  return writeInSlabs(c, headers, (writer) => (splices ? writeSplicedItems(writer, shape, list) : writeItems(writer, shape, list)))
}

/** Short answers are sent whole with their length, longer ones as they come. */
async function writeInSlabs(
  c: InstallerContext,
  headers: Record<string, string>,
  write: (writer: SlabWriter) => Promise<void>,
): Promise<Response> {
  let streaming: Promise<Response> | undefined
  let finish!: () => void
  let fail!: (error: unknown) => void
  const written = new Promise<void>((resolve, reject) => {
    finish = resolve
    fail = reject
  })
  const open = (): Promise<ResponseSink> =>
    new Promise((resolve, reject) => {
      streaming = sendStream(c, 200, headers, (sink) => {
        resolve(sink)
        return written
      })
      // When the client has left meanwhile there is no sink at all.
      streaming.then(() => reject(new ClientGoneError()), reject)
    })
  const writer = new SlabWriter(open)
  written.catch(() => {})
  try {
    await write(writer)
    const short = writer.takeShort()
    if (short !== undefined) return sendBytes(c, 200, headers, short)
    await writer.finish()
    finish()
  } catch (error) {
    if (streaming === undefined) throw error
    fail(error)
  }
  return streaming!
}

async function writeItems(writer: SlabWriter, shape: ListShape, list: ResultList): Promise<void> {
  let first = true
  for (const item of list.items) {
    const text = first ? shape.before : shape.between
    first = false
    if (text !== '') await writer.write(Buffer.from(text))
    await writer.write(shape.item(item))
    if (writer.sliceIsOver) await writer.yieldToOthers()
    if (writer.closed) return
  }
  await writer.write(Buffer.from(first ? shape.empty : shape.after))
}

const comma = Buffer.from(',{')

/** The same without a buffer, a string or a promise per item. */
async function writeSplicedItems(writer: SlabWriter, shape: ListShape, list: ResultList): Promise<void> {
  await writer.write(Buffer.from(shape.before))
  let head: Buffer = itemHead
  let count = 0
  for (const item of list.items) {
    if (isStoredObject(item)) {
      const at = writer.reserve(splicedLength(head, item))
      if (at !== undefined) writer.advance(writeSpliced(writer.slab, at, head, item))
      else await writer.write(Buffer.concat([head.subarray(0, -1), shape.item(item)]))
    } else await writer.write(Buffer.concat([head.subarray(0, -1), shape.item(item)]))
    head = comma
    if ((++count & 15) === 0 && writer.sliceIsOver) await writer.yieldToOthers()
    if (writer.closed) return
  }
  await writer.write(Buffer.from(shape.after))
}
