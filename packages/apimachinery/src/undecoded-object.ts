import { parseJsonStepwise } from './json-steps.ts'
import type { JsonObject, JsonValue } from './meta.ts'
import type { Task } from './task.ts'

export interface UndecodedObjectOptions {
  /** See `parseStoredJson`. */
  readonly parseExactly?: ((text: string) => object) | undefined
}

/** Sixteen digits in a row. Shorter integers are exact as doubles. */
const longInteger = /[0-9]{16}/

/**
 * Parses JSON that a server stored. `parseExactly` parses a text with integers that a double may not represent. Default: JSON.parse, which rounds
 * them.
 */
export function parseStoredJson<T>(text: string, parseExactly: ((text: string) => object) | undefined): T {
  return (parseExactly !== undefined && longInteger.test(text) ? parseExactly(text) : JSON.parse(text)) as T
}

/**
 * An object with one large member that is decoded when it is read. The object is immutable and shared by all copies of the object around it, so
 * that comparing two copies takes no time. `stringifyJson` and `encodeJson` write its text without decoding it.
 *
 * @example
 * const validation = new UndecodedObject('openAPIV3Schema', Buffer.from('{"openAPIV3Schema":{"type":"object"}}'))
 * stringifyJson({ schema: validation }) // {"schema":{"openAPIV3Schema":{"type":"object"}}}
 */
export class UndecodedObject {
  readonly #member: string
  readonly #bytes: Buffer
  readonly #parseExactly: UndecodedObjectOptions['parseExactly']
  /** The decoded member. The reference is weak, because it is several times as large as the bytes. */
  #decoded: WeakRef<JsonObject> | undefined

  /** Creates the object. `bytes` is the JSON text of an object that has only this member, whose value is an object. */
  constructor(member: string, bytes: Buffer, { parseExactly }: UndecodedObjectOptions = {}) {
    this.#member = member
    this.#bytes = bytes
    this.#parseExactly = parseExactly
    Object.defineProperty(this, member, { get: () => this.#decode(), enumerable: true, configurable: true })
  }

  /** The JSON text. */
  get text(): string {
    return this.#bytes.toString('utf8')
  }

  hasSameText(other: UndecodedObject): boolean {
    return this === other || this.#bytes.equals(other.#bytes)
  }

  toJSON(): JsonValue {
    if (splicesTexts) throw new TextToSplice()
    return { [this.#member]: this.#decode() }
  }

  /** Returns the decoded member. Decodes it in steps. */
  *decodeStepwise(): Task<JsonObject> {
    const known = this.#decoded?.deref()
    if (known !== undefined) return known
    const { text } = this
    yield
    if (this.#parseExactly !== undefined && longInteger.test(text)) return this.#decode()
    return this.#keep(yield* parseJsonStepwise(text))
  }

  #decode(): JsonObject {
    const known = this.#decoded?.deref()
    if (known !== undefined) return known
    let object: JsonObject
    try {
      object = parseStoredJson<JsonObject>(this.text, this.#parseExactly)
    } catch (cause) {
      throw new Error('the text of an undecoded object is not JSON', { cause })
    }
    return this.#keep(object)
  }

  #keep(object: JsonValue): JsonObject {
    const decoded = (object as JsonObject)[this.#member] as JsonObject
    this.#decoded = new WeakRef(decoded)
    return decoded
  }
}

let splicesTexts = false

/** Thrown by `stringifyDecoded` for a value with an undecoded object. */
class TextToSplice extends Error {}

/** Serializes a value with JSON.stringify. Returns undefined if the value contains an undecoded object, whose text can be written as it is. */
export function stringifyDecoded(value: unknown): string | undefined {
  splicesTexts = true
  try {
    return JSON.stringify(value) ?? 'null'
  } catch (error) {
    if (error instanceof TextToSplice) return undefined
    throw error
  } finally {
    splicesTexts = false
  }
}
