import { truncated } from './json-syntax-error.ts'
import { JsonError } from './json-error.ts'
import { maxJsonDepth, readJsonExactly } from './json-reader.ts'
import { countKeys, scanJson } from './json-scan.ts'
import type { JsonValue } from './meta.ts'

/** Result of `parseJson`: the value, and on demand the facts that strict decoding needs. */
export interface ParsedJson {
  /** Integers beyond a double are `bigint`; serialize such values with `stringifyJson` or `encodeJson` only. */
  readonly value: JsonValue
  /** Paths of duplicate keys ("metadata.name", "spec.containers[0].image"), in document order, at most 100. */
  readonly duplicates: readonly string[]
  readonly text: string
}

/** Invalid UTF-8 becomes U+FFFD, as in Go. Throws `JsonError`. */
export function parseJson(input: Uint8Array | string): ParsedJson {
  return new JsonDocument(typeof input === 'string' ? input : decodeUtf8(input))
}

const recursionLimit = 500

/** Buffer's decoder is several times faster than TextDecoder, and keeps a byte order mark. */
function decodeUtf8(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
}

/** Uses native JSON.parse where it loses nothing; otherwise the exact reader. */
export class JsonDocument implements ParsedJson {
  readonly text: string
  readonly value: JsonValue
  /** The value with `NumberLiteral` and `ObjectWithDuplicates` markers; `value` itself if there are none. */
  readonly exactValue: unknown
  readonly duplicates: readonly string[]

  constructor(text: string) {
    this.text = text
    const native = parseNatively(text)
    const scan = scanJson(text)
    if (scan.depth > maxJsonDepth) throw exactError(text)
    // Counting keys is recursive; deeper values go to the exact reader, which is not.
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

/** Returns the error with Go's message. */
function exactError(text: string): JsonError {
  try {
    readJsonExactly(text)
  } catch (e) {
    if (e instanceof JsonError) return e
    throw e
  }
  return truncated()
}
