import { truncated } from './json-syntax-error.ts'
import { JsonError } from './json-error.ts'
import { maxJsonDepth, readJsonExactly } from './json-reader.ts'
import { countKeys, scanJson } from './json-scan.ts'
import type { JsonValue } from './meta.ts'

/** What `parseJson` gives: the value, and on request what strict decoding needs to know about its text. */
export interface ParsedJson {
  /** Integers that a double cannot hold are `bigint` here; write such values with `stringifyJson` or `encodeJson` only. */
  readonly value: JsonValue
  /** Paths of keys that occur twice in one object ("metadata.name", "spec.containers[0].image"), in document order, 100 at the most. */
  readonly duplicates: readonly string[]
  readonly text: string
}

/** Bytes that are not UTF-8 become U+FFFD, as in the original. Throws `JsonError`. */
export function parseJson(input: Uint8Array | string): ParsedJson {
  return new JsonDocument(typeof input === 'string' ? input : decodeUtf8(input))
}

const recursionLimit = 500

/** Buffer's decoder is several times faster than TextDecoder, and leaves a byte order mark where it is. */
function decodeUtf8(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
}

/** Native JSON.parse wherever that loses nothing; the exact reader otherwise. */
export class JsonDocument implements ParsedJson {
  readonly text: string
  readonly value: JsonValue
  /** The value with `NumberLiteral` and `DuplicateObject` where the text has them; `value` itself when it has none. */
  readonly exactValue: unknown
  readonly duplicates: readonly string[]

  constructor(text: string) {
    this.text = text
    const native = parseNatively(text)
    const scan = scanJson(text)
    if (scan.depth > maxJsonDepth) throw exactError(text)
    // Counting keys recurses; what is deeper than any honest object goes to the reader, which does not.
    if (scan.exact || scan.depth > recursionLimit || countKeys(native) !== scan.keys) {
      const plain = readJsonExactly(text)
      this.value = plain.value as JsonValue
      this.duplicates = plain.duplicates
      this.exactValue = readJsonExactly(text, { literals: true }).value
    } else {
      this.value = native
      this.duplicates = []
      this.exactValue = native
    }
  }
}

function parseNatively(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    throw exactError(text)
  }
}

/** The original's words for what is wrong. */
function exactError(text: string): JsonError {
  try {
    readJsonExactly(text)
  } catch (e) {
    if (e instanceof JsonError) return e
    throw e
  }
  return truncated()
}
