import type { FieldSchema, TypeSchema } from '../type-schema.ts'
import { majorType, selfDescribed, tagNumber } from './cbor-heads.ts'
import { encodeHalf } from './half-float.ts'

/**
 * Encodes a JSON value as CBOR, without the tag of a document. As in kube-apiserver, strings become byte strings and whole numbers become
 * integers. The schema tells which strings are base64 and which numbers are floating-point numbers.
 *
 * CBOR libraries (cborg, cbor-x) encode strings as text. With them, every value would have to be converted in a separate pass.
 */
export function encodeCbor(value: unknown, schema?: TypeSchema): Buffer {
  const writer = new Writer()
  writer.value(value, schema)
  return writer.bytes()
}

/** Encodes a JSON value as a CBOR document, with the tag that identifies CBOR. */
export function encodeCborDocument(value: unknown, schema?: TypeSchema): Buffer {
  return Buffer.concat([selfDescribed, encodeCbor(value, schema)])
}

/** Encodes the head of a CBOR array with this number of items. */
export function encodeArrayHead(length: number): Buffer {
  const writer = new Writer()
  writer.head(majorType.array, length)
  return writer.bytes()
}

/** Encodes the head of a CBOR map with this number of entries. */
export function mapHead(length: number): Buffer {
  const writer = new Writer()
  writer.head(majorType.map, length)
  return writer.bytes()
}

class Writer {
  #buffer = Buffer.allocUnsafe(1024)
  #length = 0

  bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length)
  }

  value(value: unknown, schema: TypeSchema | undefined): void {
    switch (typeof value) {
      case 'string':
        return this.#writeString(value, schema)
      case 'number':
        if (Number.isSafeInteger(value) && schema?.kind !== 'double' && !Object.is(value, -0)) return this.#writeInteger(value)
        return this.#writeFloat(value)
      case 'bigint':
        return this.#writeBigInteger(value)
      case 'boolean':
        return this.#writeByte((majorType.simple << 5) | (value ? 21 : 20))
      case 'object':
        if (value !== null) return Array.isArray(value) ? this.#writeArray(value, schema) : this.#map(value, schema)
    }
    this.#writeByte((majorType.simple << 5) | 22)
  }

  head(major: number, argument: number): void {
    this.#reserveRoom(9)
    const first = major << 5
    const buffer = this.#buffer
    const at = this.#length
    if (argument < 24) this.#length = buffer.writeUInt8(first | argument, at)
    else if (argument < 2 ** 8) this.#length = buffer.writeUInt8(argument, buffer.writeUInt8(first | 24, at))
    else if (argument < 2 ** 16) this.#length = buffer.writeUInt16BE(argument, buffer.writeUInt8(first | 25, at))
    else if (argument < 2 ** 32) this.#length = buffer.writeUInt32BE(argument, buffer.writeUInt8(first | 26, at))
    else this.#length = buffer.writeBigUInt64BE(BigInt(argument), buffer.writeUInt8(first | 27, at))
  }

  #writeInteger(value: number): void {
    if (value < 0) this.head(majorType.negative, -1 - value)
    else this.head(majorType.unsigned, value)
  }

  #writeBigInteger(value: bigint): void {
    if (Number.isSafeInteger(Number(value))) return this.#writeInteger(Number(value))
    this.#reserveRoom(9)
    const negative = value < 0n
    this.#writeByte(((negative ? majorType.negative : majorType.unsigned) << 5) | 27)
    this.#length = this.#buffer.writeBigUInt64BE(negative ? -1n - value : value, this.#length)
  }

  /** Writes a floating-point number in the shortest encoding that is exact. */
  #writeFloat(value: number): void {
    this.#reserveRoom(9)
    const first = majorType.simple << 5
    const half = encodeHalf(value)
    if (half !== undefined) {
      this.#writeByte(first | 25)
      this.#length = this.#buffer.writeUInt16BE(half, this.#length)
    } else if (Math.fround(value) === value) {
      this.#writeByte(first | 26)
      this.#length = this.#buffer.writeFloatBE(value, this.#length)
    } else {
      this.#writeByte(first | 27)
      this.#length = this.#buffer.writeDoubleBE(value, this.#length)
    }
  }

  #writeString(text: string, schema: TypeSchema | undefined): void {
    if (schema?.kind === 'bytes') {
      const bytes = Buffer.from(text, 'base64')
      this.head(majorType.tag, tagNumber.laterBase64)
      this.head(majorType.bytes, bytes.length)
      this.#reserveRoom(bytes.length)
      this.#length += bytes.copy(this.#buffer, this.#length)
      return
    }
    const length = Buffer.byteLength(text)
    this.head(majorType.bytes, length)
    this.#reserveRoom(length)
    this.#length += this.#buffer.write(text, this.#length)
  }

  #writeArray(items: readonly unknown[], schema: TypeSchema | undefined): void {
    const inner = schema?.kind === 'list' ? schema.items : undefined
    this.head(majorType.array, items.length)
    for (const item of items) this.value(item, inner)
  }

  #map(object: object, schema: TypeSchema | undefined): void {
    const members = Object.entries(object).filter(([, member]) => member !== undefined)
    this.head(majorType.map, members.length)
    for (const [key, member] of members) {
      this.#writeString(key, undefined)
      this.value(member, findMemberSchema(schema, key))
    }
  }

  #writeByte(value: number): void {
    this.#reserveRoom(1)
    this.#buffer[this.#length++] = value
  }

  #reserveRoom(length: number): void {
    const needed = this.#length + length
    if (needed <= this.#buffer.length) return
    const larger = Buffer.allocUnsafe(Math.max(needed, this.#buffer.length * 2))
    this.#buffer.copy(larger, 0, 0, this.#length)
    this.#buffer = larger
  }
}

function findMemberSchema(schema: TypeSchema | undefined, key: string): TypeSchema | undefined {
  if (schema?.kind === 'map') return schema.values
  const field: FieldSchema | undefined = schema?.kind === 'struct' ? schema.byName.get(key) : undefined
  return field?.type
}
