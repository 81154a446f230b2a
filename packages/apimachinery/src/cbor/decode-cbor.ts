// Kubernetes uses its own CBOR dialect: the enclosing tag decides whether a byte string is text or base64, half of the types are rejected, and
// clients see Go's error messages. CBOR libraries (cborg, cbor-x) discard the information that these rules need.
import { isUtf8 } from 'node:buffer'
import { setOwn } from '../set-own.ts'
import type { JsonValue } from '../meta.ts'
import { CborError, newUnacceptableItem } from './cbor-error.ts'
import { readExactArgument, indefinite, majorType, readHead, tagNumber, getTypeName, newUnexpectedEnd } from './cbor-heads.ts'
import type { Head } from './cbor-heads.ts'
import { formatEpoch, formatRfc3339 } from './cbor-time.ts'
import { decodeHalf } from './half-float.ts'

const maxDepth = 10_000
const maxInt64 = 2n ** 63n - 1n

/** An incomplete data item: a container whose items are still being read, or a tag whose content is. */
type Frame =
  | { readonly kind: 'array'; readonly items: unknown[]; remaining: number }
  | { readonly kind: 'map'; readonly members: Record<string, unknown>; key: string | undefined; index: number; remaining: number }
  | { readonly kind: 'tag'; readonly tag: number; readonly content: number; readonly outer: BufferEncoding | undefined }

const opened = Symbol('opened')

/**
 * Decodes one CBOR document to a JSON value. Byte strings become text unless a tag specifies another encoding. Tagged times become RFC 3339
 * strings. Integers that a double cannot represent become `bigint`. Rejects values without a JSON equivalent: `undefined`, NaN, infinity,
 * integers of more than 64 bits, keys that are not strings, and repeated keys. Does not recurse, so deep nesting cannot overflow the stack.
 * Throws `CborError`.
 */
export function decodeCbor(input: Uint8Array): JsonValue {
  if (input.length === 0) throw new CborError('EOF')
  const reader = new Reader(Buffer.from(input.buffer, input.byteOffset, input.byteLength))
  const value = reader.read()
  const remaining = input.length - reader.at
  if (remaining > 0) throw new CborError(`cbor: ${remaining} bytes of extraneous data starting at index ${reader.at}`)
  return value as JsonValue
}

class Reader {
  at = 0
  readonly #input: Buffer
  readonly #frames: Frame[] = []
  /** Encoding of the next byte string, as requested by the enclosing tags. */
  #later: BufferEncoding | undefined

  constructor(input: Buffer) {
    this.#input = input
  }

  read(): unknown {
    for (;;) {
      let value = this.#readNext()
      while (value !== opened) {
        const frame = this.#frames.at(-1)
        if (frame === undefined) return value
        value = this.#put(frame, value)
      }
    }
  }

  /** Reads the next data item. Returns its value, or `opened` if the item is a container or tag that is not complete yet. */
  #readNext(): unknown {
    const frame = this.#frames.at(-1)
    if (frame !== undefined && this.#isOver(frame)) return this.#close(frame)
    const start = this.at
    const head = readHead(this.#input, start)
    this.at = head.next
    const { major } = head
    switch (major) {
      case majorType.unsigned:
      case majorType.negative:
        return this.#readInteger(head, start)
      case majorType.bytes:
      case majorType.text:
        return this.#readString(head)
      case majorType.array:
        return this.#open(head, { kind: 'array', items: [], remaining: this.#count(head, 1) })
      case majorType.map:
        return this.#open(head, { kind: 'map', members: {}, key: undefined, index: 0, remaining: this.#count(head, 2) })
      case majorType.tag:
        return this.#readTag(head)
      default:
        return this.#readSimple(head)
    }
  }

  #open(head: Head, frame: Frame): unknown {
    if (head.major === majorType.tag && head.additionalInformation === indefinite) {
      throw new CborError(`cbor: invalid additional information ${indefinite} for type ${getTypeName(head.major)}`)
    }
    if (this.#frames.length >= maxDepth) throw new CborError(`cbor: exceeded max nested level ${maxDepth}`)
    this.#frames.push(frame)
    return opened
  }

  /**
   * Returns the number of items in a container, or -1 for an indefinite length. Throws if the remaining input is too short for that number of
   * items. A small document therefore cannot cause a large allocation.
   */
  #count({ additionalInformation, argument, next }: Head, bytesPerItem: number): number {
    if (additionalInformation === indefinite) return -1
    if (argument * bytesPerItem > this.#input.length - next) throw newUnexpectedEnd()
    return argument
  }

  #isOver(frame: Frame): boolean {
    if (frame.kind === 'tag') return false
    if (frame.remaining === 0) return frame.kind === 'array' || frame.key === undefined
    if (frame.remaining > 0 || this.#input[this.at] !== 0xff) return false
    if (frame.kind === 'map' && frame.key !== undefined) throw new CborError('cbor: unexpected "break" code')
    this.at++
    return true
  }

  #close(frame: Frame): unknown {
    this.#frames.pop()
    return frame.kind === 'array' ? frame.items : (frame as Extract<Frame, { kind: 'map' }>).members
  }

  #put(frame: Frame, value: unknown): unknown {
    switch (frame.kind) {
      case 'array':
        frame.items.push(value)
        if (frame.remaining > 0) frame.remaining--
        return opened
      case 'map':
        this.#putMember(frame, value)
        return opened
      case 'tag':
        this.#frames.pop()
        this.#later = frame.outer
        return decodeTagged(frame, value, this.#input)
    }
  }

  #putMember(frame: Extract<Frame, { kind: 'map' }>, value: unknown): void {
    if (frame.key === undefined) {
      if (typeof value !== 'string') throw createNotTextError(value)
      if (Object.hasOwn(frame.members, value)) {
        throw new CborError(`cbor: found duplicate map key ${JSON.stringify(value)} at map element index ${frame.index}`)
      }
      frame.key = value
      return
    }
    setOwn(frame.members, frame.key, value)
    frame.key = undefined
    frame.index++
    if (frame.remaining > 0) frame.remaining--
  }

  #readTag(head: Head): unknown {
    const { argument: tag } = head
    if (tag === tagNumber.bigUnsigned || tag === tagNumber.bigNegative) throw newUnacceptableItem('tag', 'bignum')
    const frame: Frame = { kind: 'tag', tag, content: head.next, outer: this.#later }
    this.#later = laterEncodings.get(tag) ?? this.#later
    return this.#open(head, frame)
  }

  #readInteger({ major, additionalInformation, argument }: Head, start: number): number | bigint {
    if (additionalInformation === indefinite)
      throw new CborError(`cbor: invalid additional information ${additionalInformation} for type ${getTypeName(major)}`)
    if (additionalInformation < 27 || argument < Number.MAX_SAFE_INTEGER) return major === majorType.negative ? -1 - argument : argument
    const exact = readExactArgument(this.#input, start)
    if (exact > maxInt64) {
      const shown = major === majorType.negative ? -1n - exact : exact
      throw new CborError(`cbor: cannot unmarshal ${getTypeName(major)} into Go value of type int64 (${shown} overflows Go's int64)`)
    }
    const value = major === majorType.negative ? -1n - exact : exact
    return Number.isSafeInteger(Number(value)) ? Number(value) : value
  }

  #readString({ major, additionalInformation, argument }: Head): string {
    if (additionalInformation !== indefinite) return this.#decodeText(major, this.#take(argument))
    const chunks: Buffer[] = []
    for (;;) {
      if (this.#input[this.at] === 0xff) break
      const head = readHead(this.#input, this.at)
      if (head.major !== major || head.additionalInformation === indefinite) {
        const qualifier = head.additionalInformation === indefinite ? 'indefinite-length ' : ''
        throw new CborError(`cbor: wrong element type ${qualifier}${getTypeName(head.major)} for indefinite-length ${getTypeName(major)}`)
      }
      this.at = head.next
      if (head.argument === 0) continue
      const chunk = this.#take(head.argument)
      if (major === majorType.text) checkUtf8(chunk)
      chunks.push(chunk)
    }
    this.at++
    return this.#decodeText(major, Buffer.concat(chunks))
  }

  #take(length: number): Buffer {
    const end = this.at + length
    if (end > this.#input.length) throw newUnexpectedEnd()
    const bytes = this.#input.subarray(this.at, end)
    this.at = end
    return bytes
  }

  #decodeText(major: number, bytes: Buffer): string {
    if (major === majorType.bytes) return bytes.toString(this.#isKey() ? 'utf8' : (this.#later ?? 'utf8'))
    checkUtf8(bytes)
    return bytes.toString('utf8')
  }

  #isKey(): boolean {
    const frame = this.#frames.at(-1)
    return frame?.kind === 'map' && frame.key === undefined
  }

  #readSimple({ additionalInformation, argument }: Head): boolean | null | number {
    switch (additionalInformation) {
      case 20:
        return false
      case 21:
        return true
      case 22:
        return null
      case 25:
        return requireFinite(decodeHalf(argument))
      case 26:
        return requireFinite(this.#input.readFloatBE(this.at - 4))
      case 27:
        return requireFinite(this.#input.readDoubleBE(this.at - 8))
      case indefinite:
        throw new CborError('cbor: unexpected "break" code')
      default:
        if (additionalInformation === 24 && argument < 32) throw new CborError(`cbor: invalid simple value ${argument} for type primitives`)
        throw newUnacceptableItem('primitives', `simple value ${argument} is not recognized`)
    }
  }
}

const laterEncodings: ReadonlyMap<number, BufferEncoding> = new Map([
  [tagNumber.laterBase64Url, 'base64url'],
  [tagNumber.laterBase64, 'base64'],
  [tagNumber.laterBase16, 'hex'],
])

function decodeTagged({ tag, content }: Extract<Frame, { kind: 'tag' }>, value: unknown, input: Buffer): unknown {
  if (tag === tagNumber.dateTime) {
    const { major } = readHead(input, content)
    if (major !== majorType.text) throw new CborError(`cbor: tag number 0 must be followed by text string, got ${getTypeName(major)}`)
    return formatRfc3339(value as string)
  }
  if (tag === tagNumber.epoch) {
    if (typeof value === 'number') return formatEpoch(value)
    const { major } = readHead(input, content)
    throw new CborError(`cbor: tag number 1 must be followed by integer or floating-point number, got ${getTypeName(major)}`)
  }
  return value
}

function checkUtf8(bytes: Uint8Array): void {
  if (!isUtf8(bytes)) throw new CborError('cbor: invalid UTF-8 string')
}

function requireFinite(value: number): number {
  if (Number.isNaN(value)) throw newUnacceptableItem('primitives', 'floating-point NaN')
  if (!Number.isFinite(value)) throw newUnacceptableItem('primitives', 'floating-point infinity')
  return value
}

function createNotTextError(value: unknown): CborError {
  const type =
    value === null || typeof value === 'boolean'
      ? 'primitives'
      : typeof value !== 'object'
        ? Number(value) < 0
          ? 'negative integer'
          : Number.isInteger(Number(value))
            ? 'positive integer'
            : 'primitives'
        : Array.isArray(value)
          ? 'array'
          : 'map'
  return new CborError(`cbor: cannot unmarshal ${type} into Go value of type string`)
}
