import type { Tag } from '../checker/index.ts'

/** A value of which every byte follows from its tag, so that no damaged one passes for right. */
export function valueOf(tag: Tag, bytes: number): Buffer {
  const unit = Buffer.from(`${tag};`)
  return Buffer.alloc(Math.max(bytes, unit.length), unit)
}

/** The tag; something that no writer uses when the value is not whole. */
export function tagOf(value: Uint8Array): Tag {
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  const end = bytes.indexOf(';')
  if (end < 0) return 'damaged: no tag'
  const tag = bytes.toString('latin1', 0, end)
  return bytes.equals(valueOf(tag, bytes.length)) ? tag : `damaged: ${tag}`
}
