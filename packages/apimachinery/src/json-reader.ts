import { JsonError, newSyntaxError, newUnexpectedEnd } from './json-error.ts'
import type { JsonValue } from './meta.ts'
import { setOwn } from './set-own.ts'

export const maxJsonDepth = 10_000
const maxDuplicates = 100

/** An object with duplicate keys, for decoders that report them. `last` contains the last value of each key. */
export class ObjectWithDuplicates {
  readonly entries: readonly (readonly [key: string, value: unknown])[]

  constructor(entries: readonly (readonly [string, unknown])[]) {
    this.entries = entries
  }
}

interface ExactJson {
  readonly value: unknown
  readonly duplicates: readonly string[]
}

interface ReadOptions {
  /** True to keep `NumberLiteral` and `ObjectWithDuplicates` markers, which `decodeStruct` needs. Default: plain values. */
  readonly literals?: boolean
}

interface Frame {
  /** The items of an array; undefined for objects. */
  readonly items?: unknown[]
  readonly entries?: [string, unknown][]
  visited?: Set<string>
  repeated: boolean
  key: string
}

/**
 * Parses JSON and keeps information that JSON.parse loses: the spelling of numbers, duplicate keys, Go's error messages. Slower than JSON.parse.
 * Does not recurse, so deep nesting cannot overflow the stack.
 */
export function readJsonExactly(text: string, options: ReadOptions = {}): ExactJson {
  return new Reader(text, options.literals === true).read()
}

class Reader {
  private readonly text: string
  private readonly literals: boolean
  private at = 0
  private readonly frames: Frame[] = []
  private readonly duplicates = new Set<string>()

  constructor(text: string, literals: boolean) {
    this.text = text
    this.literals = literals
  }

  read(): ExactJson {
    for (;;) {
      const value = this.beginValue()
      if (value === opened) continue
      const done = this.endValue(value)
      if (done !== undefined) return { value: done.value, duplicates: [...this.duplicates] }
    }
  }

  /** Reads a scalar or an empty container and returns it. Pushes any other container on the stack and returns a marker. */
  private beginValue(): unknown {
    const c = this.peek()
    if (c === '{') return this.openObject()
    if (c === '[') return this.openArray()
    if (c === '"') return this.string()
    if (c === '-' || (c >= '0' && c <= '9')) return this.number()
    if (c === 't') return this.word('true', true)
    if (c === 'f') return this.word('false', false)
    if (c === 'n') return this.word('null', null)
    throw newSyntaxError(this.text, this.at, 'looking for beginning of value')
  }

  private openObject(): unknown {
    this.checkDepth()
    this.at++
    if (this.peek() === '}') {
      this.at++
      return {}
    }
    this.frames.push({ entries: [], repeated: false, key: '' })
    this.key()
    return opened
  }

  private openArray(): unknown {
    this.checkDepth()
    this.at++
    if (this.peek() === ']') {
      this.at++
      return []
    }
    this.frames.push({ items: [], repeated: false, key: '' })
    return opened
  }

  private checkDepth(): void {
    if (this.frames.length >= maxJsonDepth) throw newSyntaxError(this.text, this.at, 'exceeded max depth')
  }

  private key(): void {
    if (this.peek() !== '"') throw newSyntaxError(this.text, this.at, 'looking for beginning of object key string')
    const frame = this.frames.at(-1)!
    frame.key = this.string()
    if (this.peek() !== ':') throw newSyntaxError(this.text, this.at, 'after object key')
    this.at++
    frame.visited ??= new Set()
    if (frame.visited.has(frame.key)) {
      frame.repeated = true
      if (this.duplicates.size < maxDuplicates) this.duplicates.add(this.path())
    } else frame.visited.add(frame.key)
  }

  /** Adds a complete value to its container and reads the delimiters that follow it. */
  private endValue(first: unknown): { value: unknown } | undefined {
    let value = first
    for (;;) {
      const frame = this.frames.at(-1)
      if (frame === undefined) {
        this.skipSpace()
        if (this.at < this.text.length) throw newSyntaxError(this.text, this.at, 'after top-level value')
        return { value }
      }
      if (frame.items !== undefined) frame.items.push(value)
      else frame.entries!.push([frame.key, value])
      const c = this.peek()
      if (c === ',') {
        this.at++
        if (frame.items === undefined) this.key()
        return undefined
      }
      if (c !== (frame.items === undefined ? '}' : ']')) {
        throw newSyntaxError(this.text, this.at, frame.items === undefined ? 'after object key:value pair' : 'after array element')
      }
      this.at++
      this.frames.pop()
      value = frame.items ?? this.object(frame)
    }
  }

  private object(frame: Frame): unknown {
    if (frame.repeated && this.literals) return new ObjectWithDuplicates(frame.entries!)
    return createObjectFromEntries(frame.entries!)
  }

  private string(): string {
    const start = this.at
    const text = this.text
    for (let i = start + 1; i < text.length; i++) {
      const c = text.charCodeAt(i)
      if (c === 0x22) {
        this.at = i + 1
        return (JSON.parse(text.slice(start, i + 1)) as string).replace(loneSurrogates, '\ufffd')
      }
      if (c === 0x5c) i = this.escape(i + 1)
      else if (c < 0x20) throw newSyntaxError(text, i, 'in string literal')
    }
    throw newUnexpectedEnd()
  }

  /** Checks the escape sequence at `at` and returns the index of its last character. */
  private escape(at: number): number {
    const text = this.text
    if (text[at] !== 'u') {
      if (at < text.length && '"\\/bfnrt'.includes(text[at]!)) return at
      throw newSyntaxError(text, at, 'in string escape code')
    }
    for (let i = at + 1; i <= at + 4; i++) {
      if (!/[0-9a-fA-F]/.test(text.charAt(i))) throw newSyntaxError(text, i, 'in \\u hexadecimal character escape')
    }
    return at + 4
  }

  private number(): unknown {
    const start = this.at
    if (this.text[this.at] === '-') this.at++
    if (this.text[this.at] === '0') this.at++
    else this.digits('in numeric literal')
    if (this.text[this.at] === '.') {
      this.at++
      this.digits('after decimal point in numeric literal')
    }
    if (this.text[this.at] === 'e' || this.text[this.at] === 'E') {
      this.at++
      if (this.text[this.at] === '+' || this.text[this.at] === '-') this.at++
      this.digits('in exponent of numeric literal')
    }
    const literal = this.text.slice(start, this.at)
    if (isPlainNumber(literal)) return Number(literal)
    if (this.literals) return new NumberLiteral(literal)
    const value = parseUntypedNumber(literal)
    if (value === undefined) throw new JsonError(`json: cannot unmarshal number ${literal} into Go value of type float64`)
    return value
  }

  private digits(context: string): void {
    const start = this.at
    for (; ; this.at++) {
      const c = this.text[this.at]
      if (c !== undefined && c >= '0' && c <= '9') continue
      if (this.at > start) return
      throw newSyntaxError(this.text, this.at, context)
    }
  }

  private word<T>(word: string, value: T): T {
    for (let i = 1; i < word.length; i++) {
      if (this.text[this.at + i] !== word[i]) throw newSyntaxError(this.text, this.at + i, `in literal ${word} (expecting '${word[i]}')`)
    }
    this.at += word.length
    return value
  }

  private skipSpace(): void {
    for (; ; this.at++) {
      const c = this.text.charCodeAt(this.at)
      if (c !== 0x20 && c !== 0x0a && c !== 0x0d && c !== 0x09) return
    }
  }

  /** Skips whitespace and returns the next character. Throws at the end of the text. */
  private peek(): string {
    this.skipSpace()
    if (this.at >= this.text.length) throw newUnexpectedEnd()
    return this.text[this.at]!
  }

  private path(): string {
    let path = ''
    for (const frame of this.frames) {
      if (frame.items !== undefined) path += `[${frame.items.length}]`
      else path += path === '' ? frame.key : `.${frame.key}`
    }
    return path
  }
}

const opened: unique symbol = Symbol('opened')
const loneSurrogates = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g

/** Builds an object from its entries. Of duplicate keys, the last wins. The key "__proto__" is an ordinary key. */
export function createObjectFromEntries(entries: readonly (readonly [string, unknown])[]): { [key: string]: unknown } {
  const object: { [key: string]: unknown } = {}
  for (const [key, value] of entries) setOwn(object, key, value)
  return object
}

/** Replaces the markers `NumberLiteral` and `ObjectWithDuplicates` in a value by plain values. Returns the value itself if it contains none. */
export function replaceMarkers(value: unknown): JsonValue {
  return hasMarkers(value) ? withoutMarkers(value) : (value as JsonValue)
}

function hasMarkers(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return value.some(hasMarkers)
  if (value instanceof NumberLiteral || value instanceof ObjectWithDuplicates) return true
  for (const key in value) if (hasMarkers((value as { [key: string]: unknown })[key])) return true
  return false
}

function withoutMarkers(value: unknown): JsonValue {
  if (typeof value !== 'object' || value === null) return value as JsonValue
  if (value instanceof NumberLiteral) {
    const number = parseUntypedNumber(value.text)
    if (number === undefined) throw new JsonError(`json: cannot unmarshal number ${value.text} into Go value of type float64`)
    return number as number
  }
  if (Array.isArray(value)) return value.map(withoutMarkers)
  const entries = value instanceof ObjectWithDuplicates ? value.entries : Object.entries(value)
  return createObjectFromEntries(entries.map(([key, member]) => [key, withoutMarkers(member)] as const)) as JsonValue
}

/**
 * A number literal, for typed decoders that need its exact spelling: `1e3`, `1.0`, `-0`, and numbers that a double cannot represent. Only the
 * exact reader creates such values, and only `decodeStruct` reads them.
 */
export class NumberLiteral {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

const minInt64 = -(2n ** 63n)
const maxInt64 = 2n ** 63n - 1n
const longestInt64 = 20
const integer = /^-?[0-9]+$/

/** Parses a JSON number whose type is unknown. Integers of up to 64 bits stay exact, other numbers become doubles. Returns undefined on overflow. */
function parseUntypedNumber(literal: string): number | bigint | undefined {
  const value = Number(literal)
  if (literal.length <= longestInt64 && integer.test(literal) && !Number.isSafeInteger(value)) {
    const exact = BigInt(literal)
    if (exact >= minInt64 && exact <= maxInt64) return exact
  }
  return Number.isFinite(value) ? value : undefined
}

/** Returns whether converting the literal to a double loses nothing: the double prints like the literal. */
function isPlainNumber(literal: string): boolean {
  return literal.length < 16 && integer.test(literal) && literal !== '-0'
}
