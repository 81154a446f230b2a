import { newRequestEntityTooLarge } from './api-errors.ts'
import { JsonError, newUnexpectedEnd } from './json-error.ts'
import { maxJsonDepth, readJsonExactly } from './json-reader.ts'
import { scanJson } from './json-scan.ts'
import type { JsonScan } from './json-scan.ts'
import { dividedLength, parseJsonStepwise } from './json-steps.ts'
import type { JsonValue } from './meta.ts'
import { pauseIfLong, runAfter } from './scheduling.ts'
import { runInSlices } from './task.ts'
import type { Task } from './task.ts'

/** Result of `parseJson`: the value, and the facts that strict decoding needs. */
export interface ParsedJson {
  /** The parsed value. Integers that a double cannot represent are `bigint`. Only `stringifyJson` and `encodeJson` serialize them. */
  readonly value: JsonValue
  /** Paths of duplicate keys ("metadata.name", "spec.containers[0].image"), in document order, at most 100. Computed on demand. */
  readonly duplicates: readonly string[]
  readonly text: string
  /** Number of lists and objects that are open at the deepest place of the text. */
  readonly depth: number
}

/** Parses JSON text. Replaces invalid UTF-8 by U+FFFD, like Go. Throws `JsonError`. */
export function parseJson(input: Uint8Array | string): ParsedJson {
  return new JsonDocument(typeof input === 'string' ? input : decodeUtf8(input))
}

/**
 * Parses the JSON document of a request like `parseJson`. Throws a 413 if it has too many values, before it parses them, and a `JsonError` if it
 * is nested too deeply. Returns a promise only for a large document, to let other requests run between the steps.
 */
export function parseJsonRequest(input: Uint8Array): ParsedJson | Promise<ParsedJson> {
  const startTime = performance.now()
  const text = decodeUtf8(input)
  const scan = scanJson(text)
  // A list or object of n values has n - 1 commas, so these are bounds for the number of values.
  if (scan.commas >= maxRequestValues) throw newTooManyValues()
  const complete = (native: JsonValue): ParsedJson => {
    const parsed = new JsonDocument(text, { scan, native })
    refuseDeepNesting(parsed)
    if (scan.commas + scan.containers > maxRequestValues) refuseTooManyValues(parsed.value, text.length)
    return parsed
  }
  if (text.length < dividedLength) return complete(parseNatively(text))
  const parse = (): JsonValue | Promise<JsonValue> => runInSlices(parseInSteps(text))
  return runAfter(runAfter(pauseIfLong(startTime), parse), (native) => runAfter(pauseIfLong(startTime), () => complete(native)))
}

function* parseInSteps(text: string): Task<JsonValue> {
  try {
    return yield* parseJsonStepwise(text)
  } catch {
    throw createExactError(text)
  }
}

const recursionLimit = 500

/**
 * Maximum nesting of documents that clients send. kube-apiserver accepts 10,000 levels. Here, recursive functions would fill the stack from about
 * 1,700 levels on. Catching the error is not enough, because V8 ends the process if it compiles a regular expression with little stack left.
 */
export const maxRequestDepth = 1200

/** Throws a `JsonError` if a document of a client is nested too deeply. */
export function refuseDeepNesting({ depth }: Pick<ParsedJson, 'depth'>): void {
  if (depth > maxRequestDepth) throw new JsonError('exceeded max depth')
}

/** Decodes UTF-8. Uses Buffer's decoder, which is several times faster than TextDecoder and keeps a byte order mark. */
function decodeUtf8(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
}

/** A parsed JSON text. Uses JSON.parse if it loses no information, and the slower exact reader otherwise. */
export class JsonDocument implements ParsedJson {
  readonly text: string
  readonly value: JsonValue
  /** The value with `NumberLiteral` and `ObjectWithDuplicates` markers. Equals `value` if the text needs no markers. */
  readonly exactValue: unknown
  readonly duplicates: readonly string[]
  readonly depth: number

  /** Creates a document. `known` has the results of steps that have been done. */
  constructor(text: string, known?: { readonly scan: JsonScan; readonly native: JsonValue }) {
    this.text = text
    const { scan, native } = known ?? { scan: scanJson(text), native: parseNatively(text) }
    if (scan.depth > maxJsonDepth) throw createExactError(text)
    this.depth = scan.depth
    // `countKeys` is recursive, so values that are nested deeper use the exact reader.
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
    throw createExactError(text)
  }
}

/** Returns the `JsonError` of invalid text, with Go's message. */
function createExactError(text: string): JsonError {
  try {
    readJsonExactly(text)
  } catch (e) {
    if (e instanceof JsonError) return e
    throw e
  }
  return newUnexpectedEnd()
}

/** Counts the members of all objects in a value. The text has no duplicate keys if this equals `JsonScan.keys`. */
function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  let count = 0
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === 'object') count += countKeys(item)
    return count
  }
  for (const key in value) {
    count++
    const member = (value as { [key: string]: unknown })[key]
    if (typeof member === 'object') count += countKeys(member)
  }
  return count
}

/**
 * Maximum number of list items and object members in the document of a request.
 *
 * kube-apiserver has no such limit: a document of 900,000 empty items (2.7 MB) keeps one of its threads busy for up to half a minute. In this
 * server, it would block all requests. etcd stores at most 1.5 MiB. An object that fits into etcd is therefore rejected only if it has less than
 * 16 bytes per value, including member names. Pods have 30, endpoint slices 25. The largest real objects (role bindings, schemas, endpoints) have
 * about 10,000 values.
 */
export const maxRequestValues = 100_000

/** Maximum length of a document that cannot exceed the limit, because each value takes at least two bytes. */
const shortLength = 2 * maxRequestValues

export function newTooManyValues(): Error {
  return newRequestEntityTooLarge(`a document has at most ${maxRequestValues} list items and members of objects`)
}

/** Throws a 413 if the document of a request has too many values. `length` is the length of the document in characters or bytes. */
export function refuseTooManyValues(document: unknown, length: number): void {
  if (length > shortLength && countValues(document, 0) > maxRequestValues) throw newTooManyValues()
}

/** Returns `before` plus the number of list items and object members in a value. Stops counting soon after the limit. */
function countValues(value: unknown, before: number): number {
  let count = before
  if (Array.isArray(value)) {
    count += value.length
    for (let i = 0; i < value.length && count <= maxRequestValues; i++) {
      if (typeof value[i] === 'object' && value[i] !== null) count = countValues(value[i], count)
    }
  } else if (typeof value === 'object' && value !== null) {
    for (const key in value) {
      if (++count > maxRequestValues) break
      const member = (value as { [key: string]: unknown })[key]
      if (typeof member === 'object' && member !== null) count = countValues(member, count)
    }
  }
  return count
}
