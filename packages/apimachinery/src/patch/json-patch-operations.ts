import { quote } from '../go-text.ts'
import { equalsJson } from '../json-value.ts'
import { setOwn } from '../set-own.ts'
import type { JsonObject, JsonValue } from '../meta.ts'
import { isContainer, parseIndex, readMember } from './patch-document.ts'
import type { JsonContainer, PatchDocument } from './patch-document.ts'

/** Thrown if an operation of a JSON patch fails. Clients do not receive the message, only the information that the patch was rejected. */
export class JsonPatchError extends Error {
  /** Whether a `test` operation found another value than expected. */
  readonly isFailedTest: boolean

  constructor(message: string, { isFailedTest = false }: { readonly isFailedTest?: boolean } = {}) {
    super(message)
    this.isFailedTest = isFailedTest
  }
}

const missing = 'missing value'
const invalidIndex = 'invalid index referenced'

/** Applies one operation of a JSON patch to the document. Calls `onCopy` with each copied value before the value is added. */
export function applyOperation(document: PatchDocument, operation: JsonObject, onCopy: (value: JsonValue) => void): void {
  switch (operation.op) {
    case 'add':
      return add(document, operation)
    case 'remove':
      return remove(document, operation)
    case 'replace':
      return replace(document, operation)
    case 'move':
      return move(document, operation)
    case 'copy':
      return copy(document, operation, onCopy)
    case 'test':
      return test(document, operation)
    default:
      throw new JsonPatchError(`Unexpected kind: ${typeof operation.op === 'string' ? operation.op : 'unknown'}`)
  }
}

interface Target {
  readonly container: JsonContainer
  readonly key: string
}

/** Parses a JSON pointer (RFC 6901). Returns undefined for the empty pointer, which has no key. */
function parsePointer(pointer: string): { readonly steps: string[]; readonly key: string } | undefined {
  const tokens = pointer.split('/').slice(1)
  const key = tokens.pop()
  return key === undefined ? undefined : { steps: tokens.map(unescapeStep), key: unescapeStep(key) }
}

function unescapeStep(step: string): string {
  return step.replace(/~[01]/g, (escape) => (escape === '~1' ? '/' : '~'))
}

function find(document: PatchDocument, pointer: string, mode: 'readable' | 'writable'): Target | undefined {
  const parsed = parsePointer(pointer)
  const container = parsed && document[mode](parsed.steps)
  return container === undefined ? undefined : { container, key: parsed!.key }
}

function readPointer(operation: JsonObject, member: 'path' | 'from'): string {
  const pointer = operation[member]
  if (typeof pointer === 'string') return pointer
  const op = typeof operation.op === 'string' ? operation.op : JSON.stringify(operation.op)
  const why = member === 'path' ? 'operation missing path field' : 'operation, missing from field'
  throw new JsonPatchError(`${op} operation failed to decode ${member}: ${why}: ${missing}`)
}

function readValue(operation: JsonObject): JsonValue {
  return operation.value ?? null
}

function add(document: PatchDocument, operation: JsonObject): void {
  const path = readPointer(operation, 'path')
  const target = find(document, path, 'writable')
  if (target === undefined) throw new JsonPatchError(`add operation does not apply: doc is missing path: ${quote(path)}: ${missing}`)
  insert(target, readValue(operation), `error in add for path: '${path}'`)
}

function remove(document: PatchDocument, operation: JsonObject): void {
  const path = readPointer(operation, 'path')
  const target = find(document, path, 'writable')
  if (target === undefined) throw new JsonPatchError(`remove operation does not apply: doc is missing path: ${quote(path)}: ${missing}`)
  take(target, `error in remove for path: '${path}'`)
}

function replace(document: PatchDocument, operation: JsonObject): void {
  const path = readPointer(operation, 'path')
  const value = readValue(operation)
  if (path === '') {
    if (!isContainer(value)) throw new JsonPatchError('replace operation value must be object or array')
    document.root = value
    return
  }
  const target = find(document, path, 'writable')
  if (target === undefined) throw new JsonPatchError(`replace operation does not apply: doc is missing path: ${path}: ${missing}`)
  const { container, key } = target
  if (!Array.isArray(container)) setOwn(container, key, value)
  else container[requireExistingIndex(container, key, `replace operation does not apply: doc is missing key: ${path}`)] = value
}

function move(document: PatchDocument, operation: JsonObject): void {
  const from = readPointer(operation, 'from')
  const source = find(document, from, 'writable')
  if (source === undefined) throw new JsonPatchError(`move operation does not apply: doc is missing from path: ${from}: ${missing}`)
  const value = take(source, `error in move for path: '${source.key}'`)
  const path = readPointer(operation, 'path')
  const target = find(document, path, 'writable')
  if (target === undefined) throw new JsonPatchError(`move operation does not apply: doc is missing destination path: ${path}: ${missing}`)
  insert(target, value, `error in move for path: '${path}'`)
}

function copy(document: PatchDocument, operation: JsonObject, onCopy: (value: JsonValue) => void): void {
  const from = readPointer(operation, 'from')
  const source = find(document, from, 'readable')
  if (source === undefined) throw new JsonPatchError(`copy operation does not apply: doc is missing from path: ${from}: ${missing}`)
  const value = get(source, `error in copy for from: '${from}'`)
  const path = readPointer(operation, 'path')
  const target = find(document, path, 'writable')
  if (target === undefined) throw new JsonPatchError(`copy operation does not apply: doc is missing destination path: ${path}: ${missing}`)
  if (value !== null) onCopy(value)
  // Adds a copy, because later operations can modify the source or the target. `onCopy` limits the total size of copies.
  insert(target, document.copyOnce(value), 'error while adding value during copy')
}

function test(document: PatchDocument, operation: JsonObject): void {
  const path = readPointer(operation, 'path')
  const expected = readValue(operation)
  let actual = document.root
  if (path !== '') {
    const target = find(document, path, 'readable')
    if (target === undefined) throw new JsonPatchError(`test operation does not apply: is missing path: ${path}: ${missing}`)
    actual = get(target, `error in test for path: '${path}'`)
  }
  if (!equalsJson(actual, expected)) throw new JsonPatchError(`testing value ${path} failed: test failed`, { isFailedTest: true })
  document.pass(actual)
}

/** Returns the value at the target of a pointer. An absent member of an object counts as null. */
function get(target: Target, context: string): JsonValue {
  const { container, key } = target
  if (Array.isArray(container)) return container[requireExistingIndex(container, key, context)]!
  return readMember(container, key) ?? null
}

function take(target: Target, context: string): JsonValue {
  const { container, key } = target
  if (Array.isArray(container)) return container.splice(requireExistingIndex(container, key, context), 1)[0]!
  if (!Object.hasOwn(container, key)) throw new JsonPatchError(`${context}: Unable to remove nonexistent key: ${key}: ${missing}`)
  const value = container[key]!
  delete container[key]
  return value
}

function insert(target: Target, value: JsonValue, context: string): void {
  const { container, key } = target
  if (!Array.isArray(container)) setOwn(container, key, value)
  else if (key === '-') container.push(value)
  else container.splice(indexWithin(key, container.length + 1, context), 0, value)
}

function requireExistingIndex(list: readonly JsonValue[], key: string, context: string): number {
  return indexWithin(key, list.length, context)
}

/** Parses the index of a list item. As in kube-apiserver, negative indexes count from the end. */
function indexWithin(key: string, length: number, context: string): number {
  const index = parseIndex(key)
  if (index === undefined) throw new JsonPatchError(`${context}: value was not a proper array index: '${key}'`)
  if (index >= length || index < -length) throw new JsonPatchError(`${context}: Unable to access invalid index: ${index}: ${invalidIndex}`)
  return index < 0 ? index + length : index
}
