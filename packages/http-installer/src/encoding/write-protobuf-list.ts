import { encodeUnknown } from '@keelson/api'
import type { RestResult, ResultList } from '@keelson/registry'
import { formatInternalTypeName } from '@keelson/registry'
import { createListMeta } from './list-shape.ts'
import { mediaTypes } from '../negotiation/negotiate.ts'
import { ObjectEncoder } from './object-encoder.ts'
import { getMetaKind, createPartialForm, encodePartialMessage } from './partial-metadata.ts'
import { encodeLengthDelimited, listMetaMessage, measureVarint, writeVarint } from './proto-frames.ts'
import type { Answer } from '../routing/served-resource.ts'
import { collect, writeSizedList } from './sized-list.ts'
import type { SlabWriter } from './slab-writer.ts'
import { newNotConvertible } from './write-object.ts'

const itemTag = (2 << 3) | 2
/**
 * Maximum size in bytes of messages that are kept between measuring and writing a list. Other messages are encoded twice, unless they are
 * cached.
 */
const maxKeptBytes = 4 * 1024 * 1024

/**
 * Writes a list in protobuf. The envelope starts with the total length, so all items are measured before the first byte is sent. Messages
 * that are neither kept nor cached are encoded again for writing. Therefore lists of any length need little memory.
 */
export async function writeProtobufList(answer: Answer, list: ResultList): Promise<void> {
  const { exchange, served, negotiated } = answer
  const { transform } = negotiated
  if (transform !== undefined && transform.kind !== 'PartialObjectMetadataList')
    throw newNotConvertible(transform, formatInternalTypeName(served, 'List'), true)
  const encoder = new ObjectEncoder(served, 'protobuf', false)
  const gvk = transform === undefined ? { ...served.gvk, kind: served.listKind } : getMetaKind(transform.kind, transform.version)
  const partial = transform && createPartialForm(served, transform)
  const encodeMessage = (item: RestResult): Uint8Array =>
    partial === undefined ? encoder.message(item) : encodePartialMessage(item, partial)

  const keptMessages: (Uint8Array | undefined)[] = []
  let itemsLength = 0
  const items = await collect(exchange, list.items, (item) => {
    const message = encodeMessage(item)
    keptMessages.push(itemsLength < maxKeptBytes ? message : undefined)
    itemsLength += measureField(message.length)
  })
  const listMeta = encodeLengthDelimited(1, listMetaMessage(createListMeta(list)))
  const { head, tail } = encodeEnvelope(gvk, listMeta.length + itemsLength)
  const writeItem = (writer: SlabWriter, item: RestResult, index: number): Promise<void> | undefined => {
    const message = keptMessages[index] ?? encodeMessage(item)
    const at = writer.reserve(measureField(message.length))
    if (at === undefined) return putInNext(writer, message)
    writer.advance(writeField(writer.slab, at, message))
    return undefined
  }
  return writeSizedList(exchange, mediaTypes.protobuf, {
    items,
    before: Buffer.concat([head, listMeta]),
    after: tail,
    itemsLength,
    put: writeItem,
  })
}

async function putInNext(writer: SlabWriter, message: Uint8Array): Promise<void> {
  if (await writer.makeRoom(measureField(message.length))) writer.advance(writeField(writer.slab, 0, message))
  else await writer.write(encodeLengthDelimited(2, message))
}

function measureField(length: number): number {
  return 1 + measureVarint(length) + length
}

function writeField(target: Uint8Array, at: number, message: Uint8Array): number {
  target[at] = itemTag
  const start = writeVarint(target, at + 1, message.length)
  target.set(message, start)
  return start + message.length
}

/** Returns the two parts of the `k8s\0` envelope around a message of `length` bytes. The message is written separately. */
function encodeEnvelope(gvk: Parameters<typeof encodeUnknown>[0], length: number): { head: Uint8Array; tail: Uint8Array } {
  // The envelope of an empty message ends with `12 00 1a 00 22 00`: field 2 is the message, and fields 3 and 4 are always written.
  const emptyUnknown = encodeUnknown(gvk, new Uint8Array())
  const at = findRawField(emptyUnknown)
  const head = Buffer.allocUnsafe(at + 1 + measureVarint(length))
  head.set(emptyUnknown.subarray(0, at + 1))
  writeVarint(head, at + 1, length)
  return { head, tail: emptyUnknown.subarray(at + 2) }
}

/** Returns the offset of field 2 of the envelope, after the magic number and field 1. */
function findRawField(message: Uint8Array): number {
  const magic = 4
  return message[magic] === 0x0a ? magic + 2 + message[magic + 1]! : magic
}
