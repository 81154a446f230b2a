import { quote } from './go-text.ts'
import { JsonError } from './json-error.ts'
import { NumberLiteral, setOwn } from './json-reader.ts'
import type { FieldSchema } from './type-schema.ts'

/** Value of the option `fieldValidation` of a request. */
export type FieldValidation = 'Strict' | 'Warn' | 'Ignore'

export interface DecodeOptions {
  /** Strict and Warn collect unknown and duplicate fields in `strictErrors`; Ignore (the default) does not check. */
  readonly strict?: FieldValidation
  /** Keeps `kind` and `apiVersion` of the outermost object. By default they are checked and dropped. */
  readonly keepTypeMeta?: boolean
  /**
   * Keeps empty lists that storage would normalize to null. Set for kinds that are never stored (reviews): responses repeat what was sent.
   */
  readonly keepEmptyLists?: boolean
  /** Reports type mismatches as upstream's converter of unstructured objects does, instead of its JSON decoder. */
  readonly converting?: boolean
  /** True if the caller no longer uses the input. Canonical values of the input are then reused in the result instead of copied. */
  readonly owned?: boolean
}

export interface Decoded<T> {
  readonly object: T
  /** `unknown field "spec.foo"`, `duplicate field "metadata.name"`: in document order, deduplicated, at most 100. */
  readonly strictErrors: readonly string[]
  /** True if an empty list, or an empty map in a list, was sent and is now null or omitted (see `keepEmptyLists`). */
  readonly emptied?: boolean
}

const maxStrictErrors = 100

/** One step of a path: a struct's field, an index, or a map's key. */
type Step = FieldStep | number | string
export interface FieldStep {
  readonly owner: string
  readonly field: FieldSchema
}

interface DecodeContextOptions {
  readonly strict?: boolean
  readonly keepEmptyLists?: boolean
  readonly reuse?: boolean
  readonly converting?: boolean
  readonly inOrder?: boolean
}

/** The decoder's current path and the errors found so far. */
export class DecodeContext {
  readonly steps: Step[] = []
  readonly keepEmptyLists: boolean
  /** True to reuse canonical values of the input instead of copying them. */
  readonly reuse: boolean
  /** True if an empty list, or an empty map in a list, became null. */
  emptied = false
  /** False within types with their own UnmarshalJSON, which have no strict checks. */
  strict: boolean
  /** The first type mismatch. Decoding continues, because a fatal error takes precedence over it. */
  saved: string | undefined
  readonly converting: boolean
  /** True to read members in schema order and stop at the first type mismatch. */
  readonly inOrder: boolean
  private strictErrorSet: Set<string> | undefined

  constructor({ strict = false, keepEmptyLists = false, reuse = false, converting = false, inOrder = false }: DecodeContextOptions) {
    this.strict = strict
    this.keepEmptyLists = keepEmptyLists
    this.reuse = reuse
    this.converting = converting
    this.inOrder = inOrder
  }

  get strictErrors(): readonly string[] {
    return this.strictErrorSet === undefined ? [] : [...this.strictErrorSet]
  }

  /** Records a type mismatch. */
  recordMismatch(value: unknown, goType: string, kind: GoKind): void {
    this.save(this.converting ? conversionMismatch(value, goType, kind) : this.mismatchText(describe(value), goType))
  }

  recordNumberMismatch(literal: string, goType: string, kind: GoKind): void {
    this.save(
      this.converting ? conversionMismatch(new NumberLiteral(literal), goType, kind) : this.mismatchText(`number ${literal}`, goType),
    )
  }

  private save(mismatch: string): void {
    if (this.inOrder) throw new JsonError(mismatch)
    this.saved ??= mismatch
  }

  /** Returns the error of a type mismatch that ends decoding. For types with their own UnmarshalJSON. */
  fatalMismatch(jsonType: string, goType: string): JsonError {
    return new JsonError(this.mismatchText(jsonType, goType))
  }

  strictError(problem: 'unknown field' | 'duplicate field', key: string): void {
    if (!this.strict) return
    this.strictErrorSet ??= new Set()
    if (this.strictErrorSet.size < maxStrictErrors) this.strictErrorSet.add(`${problem} ${quote(this.strictPath(key))}`)
  }

  private mismatchText(jsonType: string, goType: string): string {
    let owner = ''
    const names: string[] = []
    // The converter reports no path.
    const steps = this.converting ? [] : this.steps
    for (const step of steps) {
      if (typeof step !== 'object') continue
      owner = step.owner
      if (step.field.embedded !== undefined) names.push(...step.field.embedded)
      names.push(step.field.name)
    }
    const target = names.length === 0 ? 'value' : `struct field ${owner}.${names.join('.')}`
    return `json: cannot unmarshal ${jsonType} into Go ${target} of type ${goType}`
  }

  private strictPath(key: string): string {
    let path = ''
    for (const step of this.steps) {
      if (typeof step === 'number') path += `[${step}]`
      else {
        const name = typeof step === 'string' ? step : step.field.name
        path += path === '' ? name : `.${name}`
      }
    }
    return path === '' ? key : `${path}.${key}`
  }
}

/** Returns JSON's name for a value's type. */
export function describe(value: unknown): string {
  if (typeof value === 'string') return 'string'
  if (typeof value === 'boolean') return 'bool'
  if (typeof value === 'number' || typeof value === 'bigint' || value instanceof NumberLiteral) return 'number'
  return Array.isArray(value) ? 'array' : 'object'
}

/** The decoded members of a struct, in schema order. Objects of this class are pooled. */
export class Members {
  /** Only the first `count` entries are valid. */
  readonly slots: number[] = []
  readonly values: unknown[] = []
  count = 0

  /** Inserts a member. Searches from the end, because members are few and usually in order. */
  keep(slot: number, value: unknown): void {
    const { slots, values } = this
    let at = this.count
    while (at > 0 && slots[at - 1]! > slot) at--
    if (at > 0 && slots[at - 1] === slot) {
      values[at - 1] = value
      return
    }
    for (let i = this.count++; i > at; i--) {
      slots[i] = slots[i - 1]!
      values[i] = values[i - 1]
    }
    slots[at] = slot
    values[at] = value
  }

  forget(slot: number): void {
    const { slots, values } = this
    let at = 0
    while (at < this.count && slots[at] !== slot) at++
    if (at === this.count) return
    this.count--
    for (let i = at; i < this.count; i++) {
      slots[i] = slots[i + 1]!
      values[i] = values[i + 1]
    }
    values[this.count] = undefined
  }

  clear(): void {
    for (let i = 0; i < this.count; i++) this.values[i] = undefined
    this.count = 0
  }
}

/** Maximum size of the pool: the depth of the deepest real objects. */
const maxPooled = 32
const free: Members[] = []

export function acquireMembers(): Members {
  return free.pop() ?? new Members()
}

/** Returns an object to the pool. It need not be returned after an error. */
export function releaseMembers(members: Members): void {
  if (free.length === maxPooled) return
  members.clear()
  free.push(members)
}

/** Key of the property with an object's marks. The property is not enumerable, so plain copies, comparisons and JSON do not include it. */
const sentEmpty: unique symbol = Symbol.for('keelson.sentEmpty')

interface Marked {
  readonly [sentEmpty]?: Set<string>
}

function marksOf(owner: object): Set<string> | undefined {
  return (owner as Marked)[sentEmpty]
}

function mark(owner: object, members: Set<string>): void {
  Object.defineProperty(owner, sentEmpty, { value: members, configurable: true })
}

/**
 * Marks a member that the client sent as `{}` or `[]`. Decoding drops empty maps and lists like absent ones, but some errors distinguish
 * them.
 */
export function markEmpty(owner: object, member: string): void {
  const members = marksOf(owner)
  if (members === undefined) mark(owner, new Set([member]))
  else members.add(member)
}

/** Returns whether the client sent this member as `{}` or `[]`. `owner` must be the decoded object, not a plain copy. */
export function wasSentEmpty(owner: object, member: string): boolean {
  return marksOf(owner)?.has(member) ?? false
}

/** Copies the marks of empty members from `original` to `copy`, except for members in `replaced`. Returns `copy`. */
export function copyEmptyMarks<T extends object>(copy: T, original: object, replaced: readonly string[] = []): T {
  const members = marksOf(original)
  if (members !== undefined) mark(copy, new Set([...members].filter((member) => !replaced.includes(member))))
  return copy
}

/** Copies deeply, including the marks of empty members. */
export function copyWithEmptyMarks<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(copyWithEmptyMarks) as T
  const copy: { [key: string]: unknown } = {}
  for (const [key, member] of Object.entries(value)) setOwn(copy, key, copyWithEmptyMarks(member))
  return copyEmptyMarks(copy, value) as T
}

/** Returns whether the value contains a marked member that has not been replaced. */
export function hasEmptyMarks(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  for (const member of marksOf(value) ?? []) if (((value as Record<string, unknown>)[member] ?? null) === null) return true
  return Object.values(value).some(hasEmptyMarks)
}

/** Formats the error message of a request with `fieldValidation=Strict`. */
export function strictDecodingMessage(errors: readonly string[]): string {
  return `strict decoding error: ${errors.join(', ')}`
}

/** The kind of a Go type (reflect.Kind). */
export type GoKind = 'string' | 'bool' | 'int32' | 'int64' | 'uint32' | 'uint64' | 'uint8' | 'float64' | 'slice' | 'map' | 'struct'

/**
 * Returns the error message of upstream's converter of unstructured objects for a type mismatch. Strategic merge patches use that
 * converter. The message has no path.
 */
export function conversionMismatch(value: unknown, goType: string, to: GoKind): string {
  const from = kindOf(value)
  switch (to) {
    case 'struct':
      return `cannot restore struct from: ${from}`
    case 'slice':
    case 'map':
      return `cannot restore ${to} from ${from}`
    default:
      // Go converts integers to strings and floats to integers. Only these types appear in messages with type names.
      return isConvertible(from, to) ? `cannot convert ${from} to ${goType}` : `unrecognized type: ${to}`
  }
}

function isConvertible(from: string, to: GoKind): boolean {
  if (from === 'int64') return to !== 'bool'
  return from === 'float64' && to !== 'bool' && to !== 'string'
}

function kindOf(value: unknown): string {
  if (typeof value === 'string') return 'string'
  if (typeof value === 'boolean') return 'bool'
  if (typeof value === 'bigint') return 'int64'
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64'
  if (value instanceof NumberLiteral) return /^-?\d+$/.test(value.text) ? 'int64' : 'float64'
  return Array.isArray(value) ? 'slice' : 'map'
}
