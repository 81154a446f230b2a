import type { ListMeta } from '@keelson/apimachinery'

/** `bytes` as a length-delimited field. */
export function lengthDelimited(field: number, bytes: Uint8Array): Buffer {
  const head = varintLength(bytes.length) + 1
  const target = Buffer.allocUnsafe(head + bytes.length)
  target[0] = (field << 3) | 2
  writeVarint(target, 1, bytes.length)
  target.set(bytes, head)
  return target
}

/** metav1.ListMeta: its strings are written even when empty. */
export function listMetaMessage(meta: ListMeta): Buffer {
  const strings = [meta.selfLink, meta.resourceVersion, meta.continue].map((text, index) =>
    lengthDelimited(index + 1, Buffer.from(text ?? '')),
  )
  if (meta.remainingItemCount === undefined) return Buffer.concat(strings)
  const count = Buffer.allocUnsafe(1 + varintLength(meta.remainingItemCount))
  count[0] = 4 << 3
  writeVarint(count, 1, meta.remainingItemCount)
  return Buffer.concat([...strings, count])
}

/** A watch event: metav1.WatchEvent with the object's envelope inside, behind its length in four bytes. */
export function watchFrame(type: string, object: Uint8Array): Buffer {
  const event = Buffer.concat([lengthDelimited(1, Buffer.from(type)), lengthDelimited(2, lengthDelimited(1, object))])
  const frame = Buffer.allocUnsafe(4 + event.length)
  frame.writeUInt32BE(event.length, 0)
  frame.set(event, 4)
  return frame
}

export function varintLength(value: number): number {
  let length = 1
  for (; value >= 0x80; value = Math.floor(value / 0x80)) length++
  return length
}

export function writeVarint(target: Uint8Array, at: number, value: number): number {
  for (; value >= 0x80; value = Math.floor(value / 0x80)) target[at++] = (value % 0x80) | 0x80
  target[at++] = value
  return at
}
