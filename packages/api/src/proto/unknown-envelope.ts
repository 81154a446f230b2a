import { formatGroupVersion, parseGroupVersion } from '@keelson/apimachinery'
import type { GroupVersion, GroupVersionKind } from '@keelson/apimachinery'
import { ProtoError } from './field-values.ts'
import type { ProtoReader } from './proto-reader.ts'
import { readMessage } from './proto-reader.ts'
import { writeMessage } from './proto-writer.ts'

/** The prefix `k8s\0` of protobuf in requests, responses and etcd. A JSON text cannot start with it. */
const magic: readonly number[] = [0x6b, 0x38, 0x73, 0x00]

/** A protobuf envelope (runtime.Unknown): a message and its kind, as sent and stored. */
export interface UnknownEnvelope {
  readonly gvk: GroupVersionKind
  /** The message without the envelope, as a view of the encoded bytes. */
  readonly raw: Uint8Array
  readonly contentType: string
  readonly contentEncoding: string
}

/** Returns whether bytes start with the protobuf prefix `k8s\0`. */
export function hasProtoMagic(bytes: Uint8Array): boolean {
  return bytes.length >= magic.length && magic.every((byte, index) => bytes[index] === byte)
}

/** Encodes a message and its kind as a protobuf envelope. */
export function encodeUnknown(gvk: GroupVersionKind, message: Uint8Array): Uint8Array {
  const head = writeMessage(gvk, (writer, { kind }) => {
    const mark = writer.mark()
    writer.str(kind, 18)
    writer.str(formatGroupVersion(gvk), 10)
    writer.close(mark, 10)
  })
  const size = varint(message.length)
  // The envelope ends with two empty strings: contentEncoding and contentType.
  const bytes = new Uint8Array(magic.length + head.length + 1 + size.length + message.length + 4)
  let at = 0
  for (const part of [magic, head, [18], size, message, [26, 0, 34, 0]]) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}

function varint(value: number): number[] {
  const bytes: number[] = []
  for (; value > 127; value = Math.floor(value / 128)) bytes.push((value % 128) + 128)
  bytes.push(value)
  return bytes
}

/** Decodes a protobuf envelope. Throws `ProtoError` if the bytes are not an envelope. */
export function decodeUnknown(bytes: Uint8Array): UnknownEnvelope {
  if (!hasProtoMagic(bytes))
    throw new ProtoError(`provided data does not appear to be a protobuf message, expected prefix [${magic.join(' ')}]`)
  return readMessage(bytes.subarray(magic.length), readEnvelope)
}

function readEnvelope(reader: ProtoReader, end: number): UnknownEnvelope {
  let apiVersion = ''
  let kind = ''
  let raw: Uint8Array = new Uint8Array()
  let contentEncoding = ''
  let contentType = ''
  while (reader.pos < end) {
    const tag = reader.tag()
    if (tag === 10) [apiVersion, kind] = readTypeMeta(reader)
    else if (tag === 18) raw = reader.slice()
    else if (tag === 26) contentEncoding = reader.str()
    else if (tag === 34) contentType = reader.str()
    else reader.skipField(tag)
  }
  reader.leave(end)
  return { gvk: { ...groupVersionOf(apiVersion), kind }, raw, contentType, contentEncoding }
}

function groupVersionOf(apiVersion: string): GroupVersion {
  try {
    return parseGroupVersion(apiVersion)
  } catch (error) {
    throw new ProtoError('invalid apiVersion in the envelope', { cause: error })
  }
}

function readTypeMeta(reader: ProtoReader): [apiVersion: string, kind: string] {
  const end = reader.open()
  let apiVersion = ''
  let kind = ''
  while (reader.pos < end) {
    const tag = reader.tag()
    if (tag === 10) apiVersion = reader.str()
    else if (tag === 18) kind = reader.str()
    else reader.skipField(tag)
  }
  reader.leave(end)
  return [apiVersion, kind]
}
