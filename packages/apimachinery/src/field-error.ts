import { goJson, quote } from './go-text.ts'

const descriptions = {
  FieldValueNotFound: 'Not found',
  FieldValueRequired: 'Required value',
  FieldValueDuplicate: 'Duplicate value',
  FieldValueInvalid: 'Invalid value',
  FieldValueNotSupported: 'Unsupported value',
  FieldValueForbidden: 'Forbidden',
  FieldValueTooLong: 'Too long',
  FieldValueTooMany: 'Too many',
  FieldValueTooFew: 'Too few',
  FieldValueTooShort: 'Too short',
  FieldValueTypeInvalid: 'Invalid value',
  InternalError: 'Internal error',
} as const

export type FieldErrorType = keyof typeof descriptions

export interface FieldError {
  readonly type: FieldErrorType
  readonly field: string
  /**
   * The rejected value. Messages print it as in Go: strings in quotes, numbers and booleans without, other values as JSON. `undefined` omits the
   * value. `createVerbatimValue` prints a text as it is.
   */
  readonly badValue?: unknown
  readonly detail: string
}
export type FieldErrorList = FieldError[]

/** A rejected value whose text the caller supplies, such as an internal Go struct or a time. */
export interface VerbatimValue {
  readonly verbatim: string
}
export function createVerbatimValue(text: string): VerbatimValue {
  return { verbatim: text }
}

const valueless: ReadonlySet<FieldErrorType> = new Set<FieldErrorType>([
  'FieldValueRequired',
  'FieldValueForbidden',
  'FieldValueTooLong',
  'FieldValueTooShort',
  'InternalError',
])

/** Maximum number of errors that one validation reports. kube-apiserver has no limit, but one request could cause millions of errors. */
const maxFieldErrors = 1000

/** Errors of the running validation; undefined if no validation is running. One variable is enough, because a validation never awaits. */
let currentErrors: FieldError[] | undefined

class TooManyFieldErrors extends Error {}

/**
 * Runs a validation and ends it after 1,000 errors. In that case, the result has one more error, which reports that validation was ended. The
 * limit bounds the work for an invalid object.
 *
 * @example
 * const errors = collectFieldErrors(() => ports.map((port, i) => fieldError.invalid(path.index(i), port, 'must be less than 65536')))
 */
export function collectFieldErrors(validate: () => FieldErrorList): FieldErrorList {
  const outer = currentErrors
  const ownErrors: FieldError[] = []
  currentErrors = ownErrors
  try {
    return validate()
  } catch (error) {
    if (!(error instanceof TooManyFieldErrors)) throw error
    return [...ownErrors, newFieldError('FieldValueTooMany', undefined, undefined, `validation ended after ${maxFieldErrors} errors`)]
  } finally {
    currentErrors = outer
  }
}

/** Formats the message of a status cause: the complete error message without the field's name. */
export function formatFieldErrorBody(error: FieldError): string {
  let text: string = descriptions[error.type]
  if (!valueless.has(error.type) && error.badValue !== undefined) text += `: ${printValue(error.badValue)}`
  return error.detail === '' ? text : `${text}: ${error.detail}`
}

export function formatFieldError(error: FieldError): string {
  return `${error.field}: ${formatFieldErrorBody(error)}`
}

/** Joins messages without duplicates: "" for no message, the message itself for one, `[a, b]` for several. */
export function aggregateFieldErrors(errors: readonly FieldError[]): string {
  return aggregateMessages(errors.map(formatFieldError))
}

export function aggregateMessages(messages: readonly string[]): string {
  // A set hashes the messages. A single one may quote megabytes of the request.
  const unique = messages.length < 2 ? messages : [...new Set(messages)]
  return unique.length < 2 ? (unique[0] ?? '') : `[${unique.join(', ')}]`
}

function printValue(value: unknown): string {
  if (typeof value === 'string') return quote(value)
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint') return String(value)
  if (isVerbatim(value)) return value.verbatim
  return goJson(value)
}

function isVerbatim(value: unknown): value is VerbatimValue {
  return (
    typeof value === 'object' && value !== null && Object.keys(value).length === 1 && typeof (value as VerbatimValue).verbatim === 'string'
  )
}

type Path = FieldPath | undefined

function make(type: FieldErrorType, path: Path, badValue: unknown, detail: string): FieldError {
  const error = newFieldError(type, path, badValue, detail)
  if (currentErrors === undefined) return error
  if (currentErrors.length >= maxFieldErrors) throw new TooManyFieldErrors('validation has too many errors')
  currentErrors.push(error)
  return error
}

function newFieldError(type: FieldErrorType, path: Path, badValue: unknown, detail: string): FieldError {
  return { type, field: path === undefined ? '<nil>' : path.toString(), badValue, detail }
}

function limit(verb: string, otherwise: string, count: number, unit: string): string {
  return count < 0 ? otherwise : `${verb} ${count} ${unit}${count === 1 ? '' : 's'}`
}

const fewTexts = 100
/** Quoted texts of long lists, which many errors of one request may repeat. */
const quotedLists = new WeakMap<readonly string[], string>()

function quoteAll(texts: readonly string[]): string {
  if (texts.length <= fewTexts) return texts.map(quote).join(', ')
  let quoted = quotedLists.get(texts)
  if (quoted === undefined) quotedLists.set(texts, (quoted = texts.map(quote).join(', ')))
  return quoted
}

/** Functions that create field errors, one for each type of error. An `undefined` path prints as `<nil>`, like a nil path in Go. */
export interface FieldErrorConstructors {
  required(path: Path, detail?: string): FieldError
  invalid(path: Path, value: unknown, detail: string): FieldError
  typeInvalid(path: Path, value: unknown, detail: string): FieldError
  /** Builds an "Unsupported value" error. Its message lists the supported values in the given order. */
  notSupported(path: Path, value: unknown, supported: readonly string[]): FieldError
  forbidden(path: Path, detail: string): FieldError
  duplicate(path: Path, value: unknown): FieldError
  notFoundField(path: Path, value: unknown): FieldError
  /** Builds a "Too long" error. Its message does not contain the value. */
  tooLong(path: Path, maxBytes: number): FieldError
  tooLongCharacters(path: Path, maxCharacters: number): FieldError
  tooShort(path: Path, value: string, minCharacters: number): FieldError
  tooMany(path: Path, actual: number, max: number): FieldError
  tooFew(path: Path, actual: number, min: number): FieldError
  internal(path: Path, detail: string): FieldError
}

export const fieldError: FieldErrorConstructors = {
  required: (path, detail = '') => make('FieldValueRequired', path, '', detail),
  invalid: (path, value, detail) => make('FieldValueInvalid', path, value, detail),
  typeInvalid: (path, value, detail) => make('FieldValueTypeInvalid', path, value, detail),
  notSupported: (path, value, supported) =>
    make('FieldValueNotSupported', path, value, supported.length === 0 ? '' : `supported values: ${quoteAll(supported)}`),
  forbidden: (path, detail) => make('FieldValueForbidden', path, '', detail),
  duplicate: (path, value) => make('FieldValueDuplicate', path, value, ''),
  notFoundField: (path, value) => make('FieldValueNotFound', path, value, ''),
  tooLong: (path, max) => make('FieldValueTooLong', path, undefined, limit('may not be more than', 'value is too long', max, 'byte')),
  tooLongCharacters: (path, max) =>
    make('FieldValueTooLong', path, undefined, limit('may not be more than', 'value is too long', max, 'character')),
  tooShort: (path, value, min) =>
    make('FieldValueTooShort', path, value, limit('must be at least', 'value is too short', min, 'character')),
  tooMany: (path, actual, max) =>
    make('FieldValueTooMany', path, actual < 0 ? undefined : actual, limit('must have at most', 'has too many items', max, 'item')),
  tooFew: (path, actual, min) => make('FieldValueTooFew', path, actual, limit('must have at least', 'has too few items', min, 'item')),
  internal: (path, detail) => make('InternalError', path, undefined, detail),
}

/** Path of a field in validation errors, such as `spec.containers[0].env[key]`. Immutable. Its text is formatted on demand. */
export class FieldPath {
  readonly #parent: FieldPath | undefined
  /** Last step of the path: a field's name. If `#bracketed`, an index or a key of a map. */
  readonly #step: string | number
  readonly #bracketed: boolean

  constructor(step: string | number, parent?: FieldPath, bracketed = false) {
    this.#step = step
    this.#parent = parent
    this.#bracketed = bracketed
  }

  /**
   * Returns the path of a child, or of a descendant up to three levels below. Has no rest parameter, because validation builds hundreds of paths
   * for each object.
   */
  child(name: string, second?: string, third?: string): FieldPath {
    const path = new FieldPath(name, this)
    if (second === undefined) return path
    const below = new FieldPath(second, path)
    return third === undefined ? below : new FieldPath(third, below)
  }

  index(index: number): FieldPath {
    return new FieldPath(index, this, true)
  }

  key(key: string): FieldPath {
    return new FieldPath(key, this, true)
  }

  toString(): string {
    let text = this.#text
    for (let path = this.#parent; path !== undefined; path = path.#parent) text = path.#text + text
    return text
  }

  get #text(): string {
    if (this.#bracketed) return `[${this.#step}]`
    const atRoot = this.#parent === undefined || (this.#parent.#parent === undefined && this.#parent.#step === '')
    return atRoot ? String(this.#step) : `.${this.#step}`
  }
}

/**
 * Returns the path of nested fields: `newFieldPath('spec', 'template')`. Without names, returns the root path. Paths of its children have no leading
 * dot.
 */
export function newFieldPath(first = '', ...rest: string[]): FieldPath {
  let path = new FieldPath(first)
  for (const name of rest) path = new FieldPath(name, path)
  return path
}

/** Path that kube-apiserver prints as "[]" for an object without a name. Paths of its fields do not include "[]". */
export const unnamedPath: FieldPath = new FieldPath('', undefined, true)

/**
 * Appends the items of one list to another. `list.push(...more)` would put all items on the stack, which a request with many items can
 * overflow.
 *
 * @example
 * const warnings: string[] = []
 * appendAll(warnings, ['a', 'b'])
 */
export function appendAll<Item>(list: Item[], more: readonly Item[]): void {
  for (let i = 0; i < more.length; i++) list.push(more[i]!)
}

/** Returns a predicate for values that are passed to it one after the other. It is true for a value that was passed before. */
export function repeatCheck<T>(): (value: T) => boolean {
  const visited = new Set<T>()
  return (value) => visited.size === visited.add(value).size
}
