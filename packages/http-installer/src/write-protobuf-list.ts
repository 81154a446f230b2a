import { encodeUnknown } from '@keelson/api'
import { listMetaOf } from './list-shape.ts'
import type { ResultList } from './list-shape.ts'
import { mediaTypes } from './negotiate.ts'
import { ObjectEncoder } from './object-encoder.ts'
import { metaKind, partialMessage } from './partial-metadata.ts'
import { lengthDelimited, listMetaMessage, varintLength, writeVarint } from './proto-frames.ts'
import { sendStream } from './response.ts'
import type { Answer } from './scope.ts'
import { notConvertible } from './write-object.ts'

const sliceMilliseconds = 5

/**
 * The envelope says the length of all, so every item is encoded before the first byte leaves; only the messages are held, never one big buffer.
 */
export async function writeProtobufList(answer: Answer, list: ResultList): Promise<Response> {
  const { c, scope, negotiated } = answer
  const { transform } = negotiated
  if (transform !== undefined && transform.kind !== 'PartialObjectMetadataList')
    throw notConvertible(transform, `${scope.gvk.kind}List`, true)
  const encoder = new ObjectEncoder(scope, 'protobuf', false)
  const gvk = transform === undefined ? { ...scope.gvk, kind: `${scope.gvk.kind}List` } : metaKind(transform.kind, transform.version)
  const pieces: Uint8Array[] = [lengthDelimited(1, listMetaMessage(listMetaOf(list)))]
  let length = pieces[0]!.length
  let sliceStart = performance.now()
  for (const item of list.items) {
    const piece = lengthDelimited(2, transform === undefined ? encoder.message(item) : partialMessage(item))
    pieces.push(piece)
    length += piece.length
    if (performance.now() - sliceStart > sliceMilliseconds) {
      await new Promise<void>((resolve) => setImmediate(resolve))
      if (c.env?.outgoing?.destroyed === true) break
      sliceStart = performance.now()
    }
  }
  const { head, tail } = envelope(gvk, length)
  const headers = { 'content-type': mediaTypes.protobuf, 'content-length': String(head.length + length + tail.length) }
  return sendStream(c, 200, headers, async (sink) => {
    sink.cork()
    sink.write(head)
    for (const piece of pieces) {
      if (sink.closed) return
      if (sink.write(piece)) continue
      sink.uncork()
      await sink.drained()
      sink.cork()
    }
    sink.write(tail)
    sink.uncork()
  })
}

/** The `k8s\0` envelope around a message of `length` bytes that is not there yet. */
function envelope(gvk: Parameters<typeof encodeUnknown>[0], length: number): { head: Uint8Array; tail: Uint8Array } {
  // With an empty message the envelope ends `12 00 1a 00 22 00`: field 2 is the message, and the two behind it are always written.
  const whole = encodeUnknown(gvk, new Uint8Array())
  const at = rawFieldAt(whole)
  const head = Buffer.allocUnsafe(at + 1 + varintLength(length))
  head.set(whole.subarray(0, at + 1))
  writeVarint(head, at + 1, length)
  return { head, tail: whole.subarray(at + 2) }
}

/** Where field 2 begins: behind the magic number and field 1. */
function rawFieldAt(whole: Uint8Array): number {
  const magic = 4
  return whole[magic] === 0x0a ? magic + 2 + whole[magic + 1]! : magic
}
