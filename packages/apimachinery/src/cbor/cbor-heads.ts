import { CborError } from './cbor-error.ts'

/** CBOR major types: the first three bits of a data item. */
export const majorType = { unsigned: 0, negative: 1, bytes: 2, text: 3, array: 4, map: 5, tag: 6, simple: 7 } as const

/** CBOR tags that the decoder supports. Other tags are ignored. */
export const tagNumber = {
  dateTime: 0,
  epoch: 1,
  bigUnsigned: 2,
  bigNegative: 3,
  laterBase64Url: 21,
  laterBase64: 22,
  laterBase16: 23,
  selfDescribed: 55_799,
} as const

/** Encoded CBOR tag 55799 (self-described CBOR), which starts every document and distinguishes it from other encodings. */
export const selfDescribed: Uint8Array = Uint8Array.of(0xd9, 0xd9, 0xf7)

export const indefinite = 31

/** Head of a CBOR data item: its type and argument, which precede the content. */
export interface Head {
  readonly major: number
  readonly additionalInformation: number
  /** Argument of the head: a count, length, value or tag. Inexact beyond 2^53; `readExactArgument` returns the exact value. */
  readonly argument: number
  readonly next: number
}

/** Reads the head of the data item at `at`. Throws if the input ends within the head, or if the head is reserved. */
export function readHead(input: Buffer, at: number): Head {
  const first = input[at]
  if (first === undefined) throw newUnexpectedEnd()
  const major = first >> 5
  const additionalInformation = first & 31
  if (additionalInformation < 24) return { major, additionalInformation, argument: additionalInformation, next: at + 1 }
  if (additionalInformation > 27) {
    if (additionalInformation === indefinite) return { major, additionalInformation, argument: 0, next: at + 1 }
    throw new CborError(`cbor: invalid additional information ${additionalInformation} for type ${getTypeName(major)}`)
  }
  const length = 1 << (additionalInformation - 24)
  const next = at + 1 + length
  if (next > input.length) throw newUnexpectedEnd()
  const argument = length === 8 ? input.readUInt32BE(at + 1) * 2 ** 32 + input.readUInt32BE(at + 5) : input.readUIntBE(at + 1, length)
  return { major, additionalInformation, argument, next }
}

/** Returns the exact argument of the head at `at`. The argument must have eight bytes. */
export function readExactArgument(input: Buffer, at: number): bigint {
  return input.readBigUInt64BE(at + 1)
}

export function newUnexpectedEnd(): CborError {
  return new CborError('unexpected EOF')
}

const names = ['positive integer', 'negative integer', 'byte string', 'UTF-8 text string', 'array', 'map', 'tag', 'primitives']

export function getTypeName(major: number): string {
  return names[major]!
}
