import { isApiError } from '../api-error.ts'
import { newBadRequest, newGenericServerResponse, newRequestEntityTooLarge } from '../api-errors.ts'
import { decodeList } from '../decode-struct.ts'
import { maxRequestDepth, parseJson, refuseDeepNesting, refuseTooManyValues } from '../json-document.ts'
import type { FieldValidation } from '../decode-context.ts'
import { measureUtf8Bytes, stringifyJson } from '../go-text.ts'
import type { ParsedJson } from '../json-document.ts'
import { isJsonError } from '../json-error.ts'
import { isDeeperThan } from '../json-value.ts'
import type { JsonObject, JsonValue } from '../meta.ts'
import type { FieldSchema, StructSchema } from '../type-schema.ts'
import { TimeSlice, waitForNextTurn } from '../scheduling.ts'
import { applyOperation, JsonPatchError } from './json-patch-operations.ts'
import { PatchDocument } from './patch-document.ts'

const maxOperations = 10_000
/** Maximum total size of the values that the copy operations of a patch add, in bytes. */
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
  /** Unknown and duplicate fields of the patch: `json patch unknown field "[0].foo"`. */
  readonly strictErrors: readonly string[]
}

/** Decodes a JSON patch like kube-apiserver's PATCH handler. Throws the same `ApiError` for an invalid patch. */
export function decodeJsonPatch(input: Uint8Array | string | ParsedJson, strict: FieldValidation = 'Ignore'): JsonPatch {
  try {
    const parsed = typeof input === 'string' || input instanceof Uint8Array ? parseJson(input) : input
    refuseDeepNesting(parsed)
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
 * Applies a JSON patch (RFC 6902) with kube-apiserver's extensions: negative indexes, and `replace` of an absent member. Does not modify the
 * document. The result shares unchanged parts with it. Throws an `ApiError` (422) at the first operation
 * that fails; its cause has the message of the operation.
 */
export function applyJsonPatch(document: JsonValue, operations: readonly JsonObject[]): JsonValue {
  const run = new PatchRun(document, operations)
  run.applyUntil(() => false)
  return run.result
}

/** Returns the failed operation if an error is one of `applyJsonPatch`. */
export function getFailedOperation(error: unknown): Pick<JsonPatchError, 'message' | 'isFailedTest'> | undefined {
  return isApiError(error) && error.cause instanceof JsonPatchError ? error.cause : undefined
}

export interface SlicedPatchOptions {
  /** Returns the signal that stops the patch. Called only if the patch takes more than one time slice. */
  readonly signal: () => AbortSignal
  /**
   * Collects the containers that the paths of the operations visit. Includes containers that are only tested, and those that a later operation
   * removes.
   */
  readonly passed?: Set<JsonValue>
}

/**
 * Applies a JSON patch like `applyJsonPatch`. If the patch takes long, applies it in time slices and returns a promise, which rejects with the
 * signal's reason when aborted. Even a few operations can take long, if the lists are long.
 */
export function applyJsonPatchInSlices(
  document: JsonValue,
  operations: readonly JsonObject[],
  { signal, passed }: SlicedPatchOptions,
): JsonValue | Promise<JsonValue> {
  const run = new PatchRun(document, operations, passed)
  return runForSlice(run) ? run.result : runInSlices(run, signal())
}

async function runInSlices(run: PatchRun, signal: AbortSignal): Promise<JsonValue> {
  do {
    await waitForNextTurn()
    signal.throwIfAborted()
  } while (!runForSlice(run))
  return run.result
}

/** Applies operations for one time slice. Returns whether the patch is complete. */
function runForSlice(run: PatchRun): boolean {
  const time = new TimeSlice()
  return run.applyUntil(() => time.isOver)
}

/** Number of operations between two reads of the clock. */
const operationsPerCheck = 8

class PatchRun {
  readonly #target: PatchDocument
  readonly #operations: readonly JsonObject[]
  #next = 0
  #copied = 0

  constructor(document: JsonValue, operations: readonly JsonObject[], passed?: Set<JsonValue>) {
    this.#target = new PatchDocument(document, passed)
    this.#operations = operations
  }

  /** The patched document. Throws a 400 if it is nested too deeply, because each operation can add levels. */
  get result(): JsonValue {
    const { root } = this.#target
    if (isDeeperThan(maxRequestDepth, root)) throw newBadRequest('exceeded max depth')
    return root
  }

  /** Applies operations until `shouldStop` returns true. Returns whether the patch is complete. */
  applyUntil(shouldStop: () => boolean): boolean {
    try {
      while (this.#next < this.#operations.length) {
        applyOperation(this.#target, this.#operations[this.#next++] ?? {}, this.#count)
        if (this.#next % operationsPerCheck === 0 && shouldStop()) return this.#next === this.#operations.length
      }
      return true
    } catch (e) {
      if (!(e instanceof JsonPatchError)) throw e
      throw newGenericServerResponse(422, '', { group: '', resource: '' }, '', { serverMessage: e.message, cause: e })
    }
  }

  readonly #count = (value: JsonValue): void => {
    this.#copied += measureUtf8Bytes(stringifyJson(value))
    if (this.#copied <= maxCopySize) return
    throw new JsonPatchError(
      `Unable to complete the copy, the accumulated size increase of copy is ${this.#copied}, exceeding the limit ${maxCopySize}`,
    )
  }
}
