import { Buffer } from 'node:buffer'
import { parseDuration } from '@keelson/apimachinery'
import type { JsonValue } from '@keelson/apimachinery'
import { formatJsonBytes, ProtoError, sortedKeys } from './field-values.ts'
import type { FastBuffer } from './field-values.ts'
import { microNanosOfTime, secondsOfTime } from './timestamps.ts'

/** Bytes that are reserved for a tag, a length and the longest varint. */
const slack = 24
/** Maximum length of strings that a loop encodes faster than a native call. */
const loopLength = 24
const firstSize = 16_384
const keptSize = 1_048_576
const maxSize = 0x7fff_0000

type Text = string | null | undefined
type Integer = number | bigint | null | undefined

/**
 * Encodes JSON values as protobuf from the last byte to the first. The length of a message is then known when it is written, so no second pass is
 * needed. Fields must be written in descending order of their numbers, and lists from their last item. Methods named after a type always write:
 * null and undefined become the zero value, as for non-pointers in Go. Methods with a name ending in `Ptr` write nothing for null or undefined.
 */
export class ProtoWriter {
  private buf = Buffer.allocUnsafeSlow(firstSize) as FastBuffer
  /** Position of the first byte written so far. */
  pos: number = firstSize

  /** Returns a copy of the written bytes and clears the writer. */
  take(): Uint8Array {
    const size = this.buf.length - this.pos
    const bytes = new Uint8Array(size)
    bytes.set(this.buf.subarray(this.pos))
    this.reset()
    return bytes
  }

  reset(): void {
    if (this.buf.length > keptSize) this.buf = Buffer.allocUnsafeSlow(firstSize) as FastBuffer
    this.pos = this.buf.length
  }

  private grow(needed: number): void {
    const used = this.buf.length - this.pos
    const size = Math.max(this.buf.length * 2, used + needed)
    if (size > maxSize) throw new ProtoError('object is too large')
    const next = Buffer.allocUnsafeSlow(size) as FastBuffer
    this.buf.copy(next, size - used, this.pos)
    this.buf = next
    this.pos = size - used
  }

  /** Marks the end of a nested message. The result is relative to the end of the buffer, so it stays valid when the buffer grows. */
  mark(): number {
    return this.buf.length - this.pos
  }

  /** Completes a nested message: writes its length and tag before the bytes written since `mark`. */
  close(mark: number, tag: number): void {
    const size = this.buf.length - this.pos - mark
    if (this.pos < slack) this.grow(slack)
    this.varint(size)
    this.tag(tag)
  }

  private tag(tag: number): void {
    if (tag < 128) this.buf[--this.pos] = tag
    else {
      this.buf[--this.pos] = tag >>> 7
      this.buf[--this.pos] = (tag & 127) | 128
    }
  }

  /** Writes a varint from 0 to 2^31 - 1. */
  private varint(value: number): void {
    const buf = this.buf
    if (value < 128) {
      buf[--this.pos] = value
      return
    }
    let at = (this.pos -= value < 16_384 ? 2 : value < 2_097_152 ? 3 : value < 268_435_456 ? 4 : 5)
    while (value > 127) {
      buf[at++] = (value & 127) | 128
      value >>>= 7
    }
    buf[at] = value
  }

  private varint64(value: bigint): void {
    let rest = BigInt.asUintN(64, value)
    const bytes: number[] = []
    while (rest > 127n) {
      bytes.push(Number(rest & 127n) | 128)
      rest >>= 7n
    }
    bytes.push(Number(rest))
    this.pos -= bytes.length
    this.buf.set(bytes, this.pos)
  }

  str(text: Text, tag: number): void {
    if (text === undefined || text === null || text === '') {
      if (this.pos < slack) this.grow(slack)
      this.buf[--this.pos] = 0
      this.tag(tag)
      return
    }
    if (typeof text !== 'string') throw new ProtoError('expected a string')
    const length = text.length
    if (this.pos < length + slack) this.grow(length + slack)
    if (length > loopLength) this.longText(text, length)
    else {
      const buf = this.buf
      let at = this.pos - length
      for (let i = 0; i < length; i++, at++) {
        const code = text.charCodeAt(i)
        if (code > 127) return this.wideText(text, tag)
        buf[at] = code
      }
      this.pos -= length
      this.varint(length)
    }
    this.tag(tag)
  }

  strPtr(text: Text, tag: number): void {
    if (text !== undefined && text !== null) this.str(text, tag)
  }

  private longText(text: string, length: number): void {
    const size = Buffer.byteLength(text)
    if (this.pos < size + slack) this.grow(size + slack)
    this.pos -= size
    if (size === length) this.buf.latin1Write(text, this.pos, size)
    else this.buf.utf8Write(text, this.pos, size)
    this.varint(size)
  }

  private wideText(text: string, tag: number): void {
    this.longText(text, text.length)
    this.tag(tag)
  }

  bool(value: boolean | null | undefined, tag: number): void {
    if (this.pos < slack) this.grow(slack)
    this.buf[--this.pos] = value === true ? 1 : 0
    this.tag(tag)
  }

  boolPtr(value: boolean | null | undefined, tag: number): void {
    if (value !== undefined && value !== null) this.bool(value, tag)
  }

  int(value: Integer, tag: number): void {
    if (this.pos < slack) this.grow(slack)
    if (typeof value === 'number' && value >= 0 && (value | 0) === value) this.varint(value)
    else if (value === undefined || value === null) this.buf[--this.pos] = 0
    else this.wideInt(value)
    this.tag(tag)
  }

  private wideInt(value: number | bigint): void {
    if (typeof value === 'bigint' ? BigInt.asIntN(64, value) !== value : !Number.isSafeInteger(value))
      throw new ProtoError('expected an exact 64-bit integer')
    this.varint64(BigInt(value))
  }

  intPtr(value: Integer, tag: number): void {
    if (value !== undefined && value !== null) this.int(value, tag)
  }

  double(value: number | null | undefined, tag: number): void {
    if (this.pos < slack) this.grow(slack)
    this.pos -= 8
    // oxlint-disable-next-line typescript/no-unnecessary-type-conversion -- may be a bigint
    this.buf.writeDoubleLE(Number(value ?? 0), this.pos)
    this.tag(tag)
  }

  doublePtr(value: number | null | undefined, tag: number): void {
    if (value !== undefined && value !== null) this.double(value, tag)
  }

  /** Writes bytes given as base64. Writes empty bytes, but writes nothing for null or undefined. */
  bytesPtr(base64: Text, tag: number): void {
    if (base64 === undefined || base64 === null) return
    if (typeof base64 !== 'string') throw new ProtoError('expected base64')
    const clean = lineBreaks.test(base64) ? base64.replaceAll(lineBreaks, '') : base64
    const size = (clean.length / 4) * 3 - (clean.endsWith('==') ? 2 : clean.endsWith('=') ? 1 : 0)
    if (clean.length % 4 !== 0) throw new ProtoError('expected base64')
    if (this.pos < size + slack) this.grow(size + slack)
    this.pos -= size
    if (this.buf.base64Write(clean, this.pos, size) !== size) throw new ProtoError('expected base64')
    this.varint(size)
    this.tag(tag)
  }

  quantity(text: Text, tag: number): void {
    const mark = this.mark()
    this.str(typeof text === 'number' ? String(text) : (text ?? '0'), 10)
    this.close(mark, tag)
  }

  quantityPtr(text: Text, tag: number): void {
    if (text !== undefined && text !== null) this.quantity(text, tag)
  }

  intOrString(value: number | string | null | undefined, tag: number): void {
    const mark = this.mark()
    const isString = typeof value === 'string'
    this.str(isString ? value : '', 26)
    this.int(isString ? 0 : value, 16)
    this.int(isString ? 1 : 0, 8)
    this.close(mark, tag)
  }

  intOrStringPtr(value: number | string | null | undefined, tag: number): void {
    if (value !== undefined && value !== null) this.intOrString(value, tag)
  }

  /** Writes a time. Null means the zero time, which is an empty message. */
  time(text: Text, tag: number): void {
    const mark = this.mark()
    if (text !== undefined && text !== null) {
      this.int(0, 16)
      this.int(secondsOfTime(text), 8)
    }
    this.close(mark, tag)
  }

  /** Writes a pointer to a time. Null means a pointer to the zero time, which is written. Only undefined means a nil pointer. */
  timePtr(text: Text, tag: number): void {
    if (text !== undefined) this.time(text, tag)
  }

  microTime(text: Text, tag: number): void {
    const mark = this.mark()
    if (text !== undefined && text !== null) {
      this.int(microNanosOfTime(text), 16)
      this.int(secondsOfTime(text), 8)
    }
    this.close(mark, tag)
  }

  /** Writes a pointer to a MicroTime. Null means a pointer to the zero time, as in `timePtr`. */
  microTimePtr(text: Text, tag: number): void {
    if (text !== undefined) this.microTime(text, tag)
  }

  duration(text: Text, tag: number): void {
    const mark = this.mark()
    this.int(parseDuration(text ?? '0s'), 8)
    this.close(mark, tag)
  }

  /** Writes a message whose only field is JSON. For null, the message is empty. */
  json(value: JsonValue | undefined, tag: number): void {
    const mark = this.mark()
    if (value !== undefined && value !== null) this.str(formatJsonBytes(value), 10)
    this.close(mark, tag)
  }

  jsonPtr(value: JsonValue | undefined, tag: number): void {
    if (value !== undefined && value !== null) this.json(value, tag)
  }

  /** Writes a runtime.Unknown that contains JSON. */
  unknownPtr(value: JsonValue | undefined, tag: number): void {
    if (value === undefined || value === null) return
    const mark = this.mark()
    this.str('', 34)
    this.str('', 26)
    this.str(formatJsonBytes(value), 18)
    const typeMeta = this.mark()
    this.str('', 18)
    this.str('', 10)
    this.close(typeMeta, 10)
    this.close(mark, tag)
  }

  strs(list: readonly string[] | null | undefined, tag: number): void {
    if (list) for (let i = list.length; i-- > 0;) this.str(list[i], tag)
  }

  ints(list: readonly number[] | null | undefined, tag: number): void {
    if (list) for (let i = list.length; i-- > 0;) this.int(list[i], tag)
  }

  bools(list: readonly boolean[] | null | undefined, tag: number): void {
    if (list) for (let i = list.length; i-- > 0;) this.bool(list[i], tag)
  }

  /** Writes a message that is a plain list of strings in JSON. */
  bareList(list: readonly string[] | null | undefined, tag: number): void {
    const mark = this.mark()
    this.strs(list, 10)
    this.close(mark, tag)
  }

  bareListPtr(list: readonly string[] | null | undefined, tag: number): void {
    if (list !== undefined && list !== null) this.bareList(list, tag)
  }

  strMap(map: Readonly<Record<string, string>> | null | undefined, tag: number): void {
    if (!map) return
    const keys = sortedKeys(map)
    for (let i = keys.length; i-- > 0;) {
      const key = keys[i]!
      const mark = this.mark()
      this.str(map[key], 18)
      this.str(key, 10)
      this.close(mark, tag)
    }
  }

  /** Writes a map. Calls `write` for each value with the tag of the value. */
  map<T>(
    map: Readonly<Record<string, T>> | null | undefined,
    tag: number,
    write: (writer: ProtoWriter, value: T, tag: number) => void,
  ): void {
    if (!map) return
    const keys = sortedKeys(map)
    for (let i = keys.length; i-- > 0;) {
      const key = keys[i]!
      const mark = this.mark()
      write(this, map[key]!, 18)
      this.str(key, 10)
      this.close(mark, tag)
    }
  }
}

const lineBreaks = /[\r\n]/g

let idle: ProtoWriter | undefined

/** Encodes one message and returns its bytes in a new buffer. The writer's own buffer is reused. */
export function writeMessage<T>(object: T, write: (writer: ProtoWriter, object: T) => void): Uint8Array {
  const writer = idle ?? new ProtoWriter()
  idle = undefined
  try {
    write(writer, object)
    return writer.take()
  } catch (error) {
    writer.reset()
    if (error instanceof ProtoError) throw error
    throw new ProtoError('object does not match its type', { cause: error })
  } finally {
    idle = writer
  }
}
