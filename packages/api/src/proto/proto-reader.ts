import { Buffer } from 'node:buffer'
import protobuf from 'protobufjs/minimal.js'
import { formatDuration, isApiError, isDeeperThan, maxRequestDepth, newTooManyValues, setOwn } from '@keelson/apimachinery'
import type { JsonObject, JsonValue } from '@keelson/apimachinery'
import { canonicalQuantity, parseJsonBytes, ProtoError, sortKeysInPlace } from './field-values.ts'
import type { FastBuffer } from './field-values.ts'
import type { FieldSets } from './field-sets.ts'
import { microTimeOf, timeOfSeconds, zeroTimeSeconds } from './timestamps.ts'

// ProtoReader extends the reader of protobufjs, which reads varints and fixed-size numbers. Messages are read by generated code, so that the JSON
// has exactly the members that Go writes.

/** Maximum nesting of messages. The deepest real objects are schemas in CustomResourceDefinitions. */
const maxDepth = 200
/** Maximum length of strings that V8's `substring` copies. Longer substrings keep the whole text in memory. */
const copiedLength = 12
/** Maximum size of buffers that are converted to a single text from which short strings are cut. */
const maxSharedText = 65_536

/**
 * Decodes protobuf messages to JSON values. The generated function of a message reads fields until its `end`, then calls `leave`. Each length is
 * checked immediately against the buffer, and in `leave` against the enclosing message. Allocations are therefore never larger than the input.
 */
export class ProtoReader extends protobuf.Reader {
  private readonly data: FastBuffer
  private readonly ascii: string
  private readonly fieldSets: FieldSets | undefined
  private nesting = 0
  private valuesLeft: number
  /** True for a message with a maximum number of values. Such a message comes from a client, others from the store. */
  private readonly fromClient: boolean
  private lastMap: object | undefined
  private lastKey = ''
  private unsorted: Set<Record<string, unknown>> | undefined

  constructor(bytes: Uint8Array, fieldSets?: FieldSets, maxValues: number = Number.MAX_SAFE_INTEGER) {
    const data = (Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)) as FastBuffer
    super(data)
    this.data = data
    this.fieldSets = fieldSets
    this.valuesLeft = maxValues
    this.fromClient = maxValues < Number.MAX_SAFE_INTEGER
    this.ascii = this.len <= maxSharedText ? data.latin1Slice(0, this.len) : ''
  }

  override tag(): number {
    const byte = this.data[this.pos]
    if (byte !== undefined && byte < 128) {
      this.pos++
      return byte
    }
    return this.uint32()
  }

  /** Starts to read a nested message and returns the position of its end. */
  open(): number {
    if (--this.valuesLeft < 0) throw newTooManyValues()
    const end = this.limit()
    if (++this.nesting > maxDepth) throw new ProtoError('nesting exceeds the maximum depth')
    return end
  }

  /** Starts to read a nested message that is absent, and returns its end. The generated function then returns the zero value of the struct. */
  here(): number {
    this.nesting++
    return this.pos
  }

  leave(end: number): void {
    if (this.pos !== end) throw new ProtoError('field exceeds its message')
    this.nesting--
  }

  private limit(): number {
    const size = this.tag()
    const end = this.pos + size
    if (end > this.len) throw new ProtoError('truncated message')
    return end
  }

  str(): string {
    if (--this.valuesLeft < 0) throw newTooManyValues()
    const size = this.tag()
    const start = this.pos
    const end = start + size
    if (end > this.len) throw new ProtoError('truncated message')
    this.pos = end
    const buf = this.data
    if (size > 200) return buf.utf8Slice(start, end)
    for (let i = start; i < end; i++) {
      if (buf[i]! > 127) return buf.utf8Slice(start, end)
    }
    return size <= copiedLength && this.ascii !== '' ? this.ascii.substring(start, end) : buf.latin1Slice(start, end)
  }

  override bool(): boolean {
    return this.varint() !== 0
  }

  override int32(): number {
    const value = this.varint()
    return typeof value === 'bigint' ? Number(BigInt.asIntN(32, value)) : value | 0
  }

  /**
   * Reads a signed integer exactly. An integer outside the safe range is a bigint, although the result is typed as number. Nearly all integers
   * are numbers.
   */
  int(): number {
    if (--this.valuesLeft < 0) throw newTooManyValues()
    const value = this.varint()
    return typeof value === 'bigint' ? (BigInt.asIntN(64, value) as never) : value
  }

  /** Reads an unsigned 64-bit integer. Returns a bigint only if a double would be inexact or the sign bit is set. */
  private varint(): number | bigint {
    const buf = this.data
    let byte = buf[this.pos++]
    if (byte === undefined) throw new ProtoError('truncated message')
    if (byte < 128) return byte
    let low = byte & 127
    let scale = 128
    for (let i = 1; i < 7; i++, scale *= 128) {
      byte = buf[this.pos++]
      if (byte === undefined) throw new ProtoError('truncated message')
      low += (byte & 127) * scale
      if (byte < 128) return low
    }
    let high = 0n
    for (let shift = 49n; shift < 70n; shift += 7n) {
      byte = buf[this.pos++]
      if (byte === undefined) throw new ProtoError('truncated message')
      high |= BigInt(byte & 127) << shift
      if (byte < 128) {
        const value = BigInt.asUintN(64, high | BigInt(low))
        const signed = BigInt.asIntN(64, value)
        return signed >= BigInt(Number.MIN_SAFE_INTEGER) && signed <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(signed) : value
      }
    }
    throw new ProtoError('varint is too long')
  }

  private packed(list: unknown[], read: () => unknown): void {
    const end = this.limit()
    while (this.pos < end) list.push(read())
    if (this.pos !== end) throw new ProtoError('element exceeds its packed field')
  }

  packedBools(list: boolean[]): void {
    this.packed(list, () => this.bool())
  }

  packedInt32s(list: number[]): void {
    this.packed(list, () => this.int32())
  }

  packedInts(list: number[]): void {
    this.packed(list, () => this.int())
  }

  base64(): string {
    const end = this.limit()
    const start = this.pos
    this.pos = end
    return this.data.base64Slice(start, end)
  }

  /** Returns the bytes of a field as a view, without copying them. */
  slice(): Uint8Array {
    const end = this.limit()
    const start = this.pos
    this.pos = end
    return this.data.subarray(start, end)
  }

  /** Reads a nested runtime.Unknown whose bytes are JSON. */
  unknown(): JsonValue {
    return this.json(18)
  }

  /** Reads a Quantity, which is a message with one string field. */
  quantity(): string {
    const end = this.open()
    let value = '0'
    while (this.pos < end) {
      const tag = this.tag()
      if (tag === 10) value = this.str()
      else this.skipField(tag)
    }
    this.leave(end)
    return canonicalQuantity(value)
  }

  intOrString(): number | string {
    const end = this.open()
    let isString = false
    let int = 0
    let text = ''
    while (this.pos < end) {
      const tag = this.tag()
      if (tag === 8) isString = this.int() === 1
      else if (tag === 16) int = this.int32()
      else if (tag === 26) text = this.str()
      else this.skipField(tag)
    }
    this.leave(end)
    return isString ? text : int
  }

  /** Reads a time. The zero time is null, although the result is typed as string. */
  time(): string {
    return timeOfSeconds(this.timestamp()) as string
  }

  microTime(): string {
    const seconds = this.timestamp()
    return microTimeOf(seconds, this.nanos) as string
  }

  private nanos = 0

  private timestamp(): number {
    const end = this.open()
    if (this.pos === end) {
      this.leave(end)
      this.nanos = 0
      return zeroTimeSeconds
    }
    let seconds = 0
    this.nanos = 0
    while (this.pos < end) {
      const tag = this.tag()
      if (tag === 8) seconds = Number(this.int()) // oxlint-disable-line typescript/no-unnecessary-type-conversion -- may be a bigint
      else if (tag === 16) this.nanos = this.int32()
      else this.skipField(tag)
    }
    this.leave(end)
    return seconds
  }

  duration(): string {
    const end = this.open()
    let nanoseconds = 0n
    while (this.pos < end) {
      const tag = this.tag()
      if (tag === 8) nanoseconds = BigInt(this.int())
      else this.skipField(tag)
    }
    this.leave(end)
    return formatDuration(nanoseconds)
  }

  /** Reads a message whose only field is JSON, such as RawExtension or JSON. */
  json(jsonTag = 10): JsonValue {
    const text = this.jsonText(jsonTag)
    const value = parseJsonBytes(text)
    const mayBeTooDeep = this.fromClient && text.length > 2 * maxRequestDepth
    if (mayBeTooDeep && isDeeperThan(maxRequestDepth, value)) throw new ProtoError('nesting exceeds the maximum depth')
    return value
  }

  fieldsV1(): JsonObject {
    const text = this.jsonText(10)
    return (this.fieldSets ? this.fieldSets.parse(text) : parseJsonBytes(text)) as JsonObject
  }

  private jsonText(jsonTag: number): string {
    const end = this.open()
    let text = ''
    while (this.pos < end) {
      const tag = this.tag()
      if (tag === jsonTag) text = this.utf8()
      else this.skipField(tag)
    }
    this.leave(end)
    return text
  }

  private utf8(): string {
    const end = this.limit()
    const start = this.pos
    this.pos = end
    return this.data.utf8Slice(start, end)
  }

  /** Reads a message that is a plain list of strings in JSON. */
  strings(): string[] {
    const end = this.open()
    const list: string[] = []
    while (this.pos < end) {
      const tag = this.tag()
      if (tag === 10) list.push(this.str())
      else this.skipField(tag)
    }
    this.leave(end)
    return list
  }

  /** Reads one entry of a map. `read` receives `absent` as true if the entry has no value. */
  entry<T>(map: Record<string, T> | undefined, read: (reader: ProtoReader, absent: boolean) => T, valueTag = 18): Record<string, T> {
    const end = this.open()
    let key = ''
    let value: T | undefined
    while (this.pos < end) {
      const tag = this.tag()
      if (tag === 10) key = this.str()
      else if (tag === valueTag) value = read(this, false)
      else this.skipField(tag)
    }
    this.leave(end)
    if (value === undefined) value = read(this, true)
    return this.put(map, key, value)
  }

  stringEntry(map: Record<string, string> | undefined): Record<string, string> {
    const end = this.open()
    let key = ''
    let value = ''
    while (this.pos < end) {
      const tag = this.tag()
      if (tag === 10) key = this.str()
      else if (tag === 18) value = this.str()
      else this.skipField(tag)
    }
    this.leave(end)
    return this.put(map, key, value)
  }

  private put<T>(map: Record<string, T> | undefined, key: string, value: T): Record<string, T> {
    const target = map ?? {}
    if (map !== undefined && (map !== this.lastMap || !(key > this.lastKey))) (this.unsorted ??= new Set()).add(map)
    setOwn(target, key, value)
    this.lastMap = target
    this.lastKey = key
    return target
  }

  /** Completes decoding: sorts the keys of maps whose entries were not in order. */
  finish(): void {
    if (this.unsorted !== undefined) for (const map of this.unsorted) sortKeysInPlace(map)
  }

  /**
   * Skips an unknown field. `known` and `knownFrom32` are bit sets of the known field numbers. Throws for a known field, because it can only be
   * here if its wire type is wrong.
   */
  skipUnknown(tag: number, known: number, knownFrom32 = 0): void {
    const number = tag >>> 3
    if (number < 64 && ((number < 32 ? known : knownFrom32) >>> (number & 31)) & 1) throw new ProtoError('wrong wire type')
    this.skipField(tag)
  }

  /** Skips a field whose number is unknown. */
  skipField(tag: number, groups = 0): void {
    if (tag < 8) throw new ProtoError('field number 0 is invalid')
    switch (tag & 7) {
      case 0:
        this.varint()
        return
      case 1:
        this.pos += 8
        break
      case 2:
        this.pos = this.limit()
        return
      case 3:
        this.skipGroup(tag, groups)
        return
      case 5:
        this.pos += 4
        break
      default:
        throw new ProtoError('invalid wire type')
    }
    if (this.pos > this.len) throw new ProtoError('truncated message')
  }

  private skipGroup(tag: number, groups: number): void {
    if (groups > maxDepth) throw new ProtoError('nesting exceeds the maximum depth')
    for (;;) {
      const inner = this.tag()
      if (inner === tag + 1) return
      this.skipField(inner, groups + 1)
    }
  }
}

/** Decodes all of `bytes` with the generated function of a message. */
export function readMessage<T>(
  bytes: Uint8Array,
  read: (reader: ProtoReader, end: number) => T,
  fieldSets?: FieldSets,
  maxValues?: number,
): T {
  try {
    const reader = new ProtoReader(bytes, fieldSets, maxValues)
    reader.here()
    const value = read(reader, reader.len)
    reader.finish()
    return value
  } catch (error) {
    // protobufjs throws errors of its own for truncated bytes.
    throw error instanceof ProtoError || isApiError(error) ? error : new ProtoError('truncated message', { cause: error })
  }
}
