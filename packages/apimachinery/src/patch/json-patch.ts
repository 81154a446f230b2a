import { newBadRequest, newGenericServerResponse, newRequestEntityTooLarge } from '../api-errors.ts'
import { decodeList } from '../decode-struct.ts'
import { refuseTooManyValues } from '../request-bounds.ts'
import type { FieldValidation } from '../decode-options.ts'
import { stringifyJson } from '../encode-json.ts'
import { byteLength } from '../go-text.ts'
import { parseJson } from '../json-document.ts'
import type { ParsedJson } from '../json-document.ts'
import { isJsonError } from '../json-error.ts'
import type { JsonObject, JsonValue } from '../meta.ts'
import type { FieldSchema, StructSchema } from '../type-schema.ts'
import { applyOperation, JsonPatchError } from './json-patch-operations.ts'
import { PatchDocument } from './patch-document.ts'

const maxOperations = 10_000
/** Bytes that all copy operations of one patch may add. */
const maxCopySize = 3 * 1024 * 1024

const operationFields: readonly FieldSchema[] = [
  { name: 'op', type: { kind: 'string' } },
  { name: 'path', type: { kind: 'string' } },
  { name: 'from', type: { kind: 'string' } },
  { name: 'value', type: { kind: 'json' } },
]
const operationSchema: StructSchema = {
  kind: 'struct',
  name: 'jsonPatchOp',
  definition: 'handlers.jsonPatchOp',
  fields: operationFields,
  byName: new Map(operationFields.map((field) => [field.name, field])),
}

export interface JsonPatch {
  readonly operations: readonly JsonObject[]
  /** `json patch unknown field "[0].foo"`. */
  readonly strictErrors: readonly string[]
}

/** Reads a patch as the original's PATCH handler does. Throws the `ApiError` it would answer with. */
export function decodeJsonPatch(input: Uint8Array | string | ParsedJson, strict: FieldValidation = 'Ignore'): JsonPatch {
  try {
    const parsed = typeof input === 'string' || input instanceof Uint8Array ? parseJson(input) : input
    refuseTooManyValues(parsed.value, parsed.text.length)
    const { strictErrors } = decodeList({ kind: 'list', items: operationSchema }, parsed, { strict })
    const operations = (parsed.value ?? []) as JsonObject[]
    if (operations.length > maxOperations) {
      throw newRequestEntityTooLarge(`The allowed maximum operations in a JSON patch is ${maxOperations}, got ${operations.length}`)
    }
    return { operations, strictErrors: strictErrors.map((error) => `json patch ${error}`) }
  } catch (e) {
    if (isJsonError(e)) throw newBadRequest(`error decoding patch: ${e.message}`, { cause: e })
    throw e
  }
}

/**
 * RFC 6902, with the original's readings of it (negative indices, `replace` of an absent member). The document is not changed; the result
 * shares what did not change with it. All operations or none: throws an `ApiError` (422) at the first that does not apply.
 */
export function applyJsonPatch(document: JsonValue, operations: readonly JsonObject[]): JsonValue {
  const run = new PatchRun(document, operations)
  run.until(() => false)
  return run.result
}

const sliceMilliseconds = 5

export interface SlicedPatchOptions {
  /** Asked for where it takes long. */
  readonly signal: () => AbortSignal
  /** Gets the objects and lists of the result that an operation went through on its way, one that only tests too; and others that are gone. */
  readonly passed?: Set<JsonValue>
}

/**
 * The same, in slices where it takes long: few operations on long lists are much work. A promise only then; it rejects with the signal's reason
 * when nobody waits any more.
 */
export function applyJsonPatchInSlices(
  document: JsonValue,
  operations: readonly JsonObject[],
  { signal, passed }: SlicedPatchOptions,
): JsonValue | Promise<JsonValue> {
  const run = new PatchRun(document, operations, passed)
  return slice(run) ? run.result : inSlices(run, signal())
}

async function inSlices(run: PatchRun, signal: AbortSignal): Promise<JsonValue> {
  do {
    await new Promise<void>((resolve) => setImmediate(resolve))
    signal.throwIfAborted()
  } while (!slice(run))
  return run.result
}

/** Whether it is done. */
function slice(run: PatchRun): boolean {
  const end = performance.now() + sliceMilliseconds
  return run.until(() => performance.now() > end)
}

/** How often the clock is looked at. */
const operationsPerLook = 8

class PatchRun {
  readonly #target: PatchDocument
  readonly #operations: readonly JsonObject[]
  #next = 0
  #copied = 0

  constructor(document: JsonValue, operations: readonly JsonObject[], passed?: Set<JsonValue>) {
    this.#target = new PatchDocument(document, passed)
    this.#operations = operations
  }

  get result(): JsonValue {
    return this.#target.root
  }

  /** True when all operations are applied, false when it was time to stop before. */
  until(isTime: () => boolean): boolean {
    try {
      while (this.#next < this.#operations.length) {
        applyOperation(this.#target, this.#operations[this.#next++] ?? {}, this.#count)
        if (this.#next % operationsPerLook === 0 && isTime()) return this.#next === this.#operations.length
      }
      return true
    } catch (e) {
      if (!(e instanceof JsonPatchError)) throw e
      throw newGenericServerResponse(422, '', { group: '', resource: '' }, '', { serverMessage: e.message })
    }
  }

  readonly #count = (value: JsonValue): void => {
    this.#copied += byteLength(stringifyJson(value))
    if (this.#copied <= maxCopySize) return
    throw new JsonPatchError(
      `Unable to complete the copy, the accumulated size increase of copy is ${this.#copied}, exceeding the limit ${maxCopySize}`,
    )
  }
}
