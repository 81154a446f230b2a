import type { JsonValue } from './meta.ts'

/** What `parseJson` gives: the value, and on request what strict decoding needs to know about its text. */
export interface ParsedJson {
  /** Integers that a double cannot hold are `bigint` here; write such values with `stringifyJson` or `encodeJson` only. */
  readonly value: JsonValue
  /** Paths of keys that occur twice in one object ("metadata.name", "spec.containers[0].image"), in document order. */
  readonly duplicates: readonly string[]
  readonly text: string
}
