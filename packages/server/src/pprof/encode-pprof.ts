/** Name and unit of a sampled quantity. */
export interface ValueType {
  readonly type: string
  readonly unit: string
}

export interface Frame {
  readonly functionName: string
  readonly url: string
  /** Line number, counted from zero. */
  readonly lineNumber: number
}

export interface Sample {
  /** Call stack of the sample. The innermost function is the first. */
  readonly stack: readonly Frame[]
  /** Sampled values, one for each entry of `types`. */
  readonly values: readonly number[]
}

export interface Profile {
  readonly types: readonly ValueType[]
  /** Sampled quantity, and the average amount of it between two samples. */
  readonly period: ValueType & { readonly every: number }
  readonly samples: Iterable<Sample>
  readonly timeNanoseconds: bigint
  readonly durationNanoseconds: number
}

/** Encodes a profile as the protobuf message `perftools.profiles.Profile`, which `go tool pprof` reads. */
export function encodePprof({ types, period, samples, timeNanoseconds, durationNanoseconds }: Profile): Buffer {
  const strings = new Interned<string>((text) => text)
  strings.of('')
  const encodeValueType = ({ type, unit }: ValueType): Message => new Message().number(1, strings.of(type)).number(2, strings.of(unit))
  const functions = new Interned<Frame>(({ functionName, url }) => `${url} ${functionName}`)
  const locations = new Interned<Frame>(({ functionName, url, lineNumber }) => `${url} ${lineNumber} ${functionName}`)
  const profile = new Message()
  for (const type of types) profile.message(1, encodeValueType(type))
  for (const { stack, values } of samples) {
    const ids = stack.map((frame) => locations.of(frame) + 1)
    profile.message(2, new Message().numbers(1, ids).numbers(2, values))
  }
  for (const [index, frame] of locations.items.entries()) {
    const line = new Message().number(1, functions.of(frame) + 1).number(2, frame.lineNumber + 1)
    profile.message(4, new Message().number(1, index + 1).message(4, line))
  }
  for (const [index, { functionName, url }] of functions.items.entries()) {
    const name = strings.of(functionName || '(anonymous)')
    profile.message(
      5,
      new Message()
        .number(1, index + 1)
        .number(2, name)
        .number(3, name)
        .number(4, strings.of(url)),
    )
  }
  profile.number(9, timeNanoseconds).number(10, durationNanoseconds).message(11, encodeValueType(period)).number(12, period.every)
  for (const text of strings.items) profile.bytes(6, Buffer.from(text))
  return profile.finish()
}

/** A table of unique values. `of` adds a value if needed and returns its index. */
class Interned<T> {
  readonly items: T[] = []
  readonly #places = new Map<string, number>()
  readonly #name: (item: T) => string

  constructor(name: (item: T) => string) {
    this.#name = name
  }

  of(item: T): number {
    const name = this.#name(item)
    let location = this.#places.get(name)
    if (location === undefined) this.#places.set(name, (location = this.items.push(item) - 1))
    return location
  }
}

/** Writes the fields of a protobuf message in sequence. */
class Message {
  readonly #chunks: Uint8Array[] = []

  number(field: number, value: number | bigint): this {
    this.#chunks.push(encodeVarint(field * 8), encodeVarint(value))
    return this
  }

  numbers(field: number, values: readonly number[]): this {
    return this.bytes(field, Buffer.concat(values.map((value) => encodeVarint(value))))
  }

  message(field: number, message: Message): this {
    return this.bytes(field, message.finish())
  }

  bytes(field: number, bytes: Uint8Array): this {
    this.#chunks.push(encodeVarint(field * 8 + 2), encodeVarint(bytes.length), bytes)
    return this
  }

  finish(): Buffer {
    return Buffer.concat(this.#chunks)
  }
}

/** Encodes a non-negative integer as a protobuf varint. */
function encodeVarint(value: number | bigint): Uint8Array {
  const bytes: number[] = []
  let remaining = typeof value === 'bigint' ? value : BigInt(Math.round(value))
  for (; remaining >= 128n; remaining >>= 7n) bytes.push(Number(remaining & 127n) | 128)
  bytes.push(Number(remaining))
  return Uint8Array.from(bytes)
}
