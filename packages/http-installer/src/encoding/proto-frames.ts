import type { ListMeta } from '@keelson/apimachinery'

/** Encodes bytes as a length-delimited field. */
export function encodeLengthDelimited(field: number, bytes: Uint8Array): Buffer {
  return Buffer.concat([encodeLengthDelimitedHead(field, bytes.length), bytes])
}

/** Encodes the tag and length of a length-delimited field. */
export function encodeLengthDelimitedHead(field: number, length: number): Buffer {
  const tag = field * 8 + 2
  const head = Buffer.allocUnsafe(measureVarint(tag) + measureVarint(length))
  writeVarint(head, writeVarint(head, 0, tag), length)
  return head
}

/** Encodes a field with a non-negative integer or a boolean. True is encoded as 1. */
export function encodeVarintField(field: number, value: number): Buffer {
  const tag = field * 8
  const bytes = Buffer.allocUnsafe(measureVarint(tag) + measureVarint(value))
  writeVarint(bytes, writeVarint(bytes, 0, tag), value)
  return bytes
}

/** Encodes a metav1.ListMeta. Empty strings are written too, as in Go. */
export function listMetaMessage(meta: ListMeta): Buffer {
  const strings = [meta.selfLink, meta.resourceVersion, meta.continue].map((text, index) =>
    encodeLengthDelimited(index + 1, Buffer.from(text ?? '')),
  )
  if (meta.remainingItemCount === undefined) return Buffer.concat(strings)
  return Buffer.concat([...strings, encodeVarintField(4, meta.remainingItemCount)])
}

/** Encodes a protobuf watch event: four bytes with its length, and then a metav1.WatchEvent that contains the object with its envelope. */
export function watchFrame(type: string, object: Uint8Array): Buffer {
  const event = Buffer.concat([encodeLengthDelimited(1, Buffer.from(type)), encodeLengthDelimited(2, encodeLengthDelimited(1, object))])
  const frame = Buffer.allocUnsafe(4 + event.length)
  frame.writeUInt32BE(event.length, 0)
  frame.set(event, 4)
  return frame
}

export function measureVarint(value: number): number {
  let length = 1
  for (; value >= 0x80; value = Math.floor(value / 0x80)) length++
  return length
}

export function writeVarint(target: Uint8Array, at: number, value: number): number {
  for (; value >= 0x80; value = Math.floor(value / 0x80)) target[at++] = (value % 0x80) | 0x80
  target[at++] = value
  return at
}
