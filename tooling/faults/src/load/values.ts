import type { Tag } from '../checker/index.ts'

/** Returns a value for a tag. All bytes derive from the tag, so that damage is detectable. */
export function createValue(tag: Tag, bytes: number): Buffer {
  const unit = Buffer.from(`${tag};`)
  return Buffer.alloc(Math.max(bytes, unit.length), unit)
}

/** Returns the tag of a value. For a damaged value, returns a tag that no writer uses. */
export function readTag(value: Uint8Array): Tag {
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  const end = bytes.indexOf(';')
  if (end < 0) return 'damaged: no tag'
  const tag = bytes.toString('latin1', 0, end)
  return bytes.equals(createValue(tag, bytes.length)) ? tag : `damaged: ${tag}`
}
