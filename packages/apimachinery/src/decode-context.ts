import { quote } from './go-text.ts'
import { JsonError } from './json-error.ts'
import { NumberLiteral } from './json-reader.ts'
import { setOwn } from './set-own.ts'
import type { FieldSchema } from './type-schema.ts'

/** Value of the query parameter `fieldValidation`. */
export type FieldValidation = 'Strict' | 'Warn' | 'Ignore'

export interface DecodeOptions {
  /** Field validation. Strict and Warn collect unknown and duplicate fields in `strictErrors`. Ignore does not check fields. Default: Ignore. */
  readonly strict?: FieldValidation
  /** True to keep `kind` and `apiVersion` of the outermost object. By default, decoding checks and drops them. */
  readonly keepTypeMeta?: boolean
  /**
   * True to keep empty lists, which storage would normalize to null. Used for kinds that are never stored (reviews), because their response
   * repeats the request.
   */
  readonly keepEmptyLists?: boolean
  /**
   * True to report type mismatches with the messages of upstream's converter of unstructured objects. By default, the messages are those of its
   * JSON decoder.
   */
  readonly converting?: boolean
  /** True if the caller no longer uses the input. Canonical values of the input are then reused in the result instead of copied. */
  readonly owned?: boolean
}

export interface Decoded<T> {
  readonly object: T
  /**
   * Unknown and duplicate fields (`unknown field "spec.foo"`, `duplicate field "metadata.name"`), in document order, without duplicates, at most
   * 100.
   */
  readonly strictErrors: readonly string[]
  /** True if the client sent an empty list, or an empty map in a list, that the result contains as null or not at all (see `keepEmptyLists`). */
  readonly emptied?: boolean
}

const maxStrictErrors = 100

/** One step of a path: a field of a struct, an index of a list, or a key of a map. */
type Step = FieldStep | number | string
export interface FieldStep {
  readonly owner: string
  readonly field: FieldSchema
  /** True if messages about type mismatches in the field do not name it, because kube-apiserver decodes its value by itself. */
  readonly isDecodedAlone?: boolean
}

interface DecodeContextOptions {
  readonly strict?: boolean
  readonly keepEmptyLists?: boolean
  readonly reuse?: boolean
  readonly converting?: boolean
  readonly inOrder?: boolean
}

/** State of one decoding: the current path, the options, and the errors found so far. */
export class DecodeContext {
  readonly steps: Step[] = []
  readonly keepEmptyLists: boolean
  /** True to reuse canonical values of the input instead of copying them. */
  readonly reuse: boolean
  /** True if decoding has turned an empty list, or an empty map in a list, into null. */
  emptied = false
  /** True to collect unknown and duplicate fields. False within types with their own UnmarshalJSON, which upstream does not check. */
  strict: boolean
  /** Message of the first type mismatch. Decoding continues after it, because a fatal error takes precedence. */
  saved: string | undefined
  readonly converting: boolean
  /** True to read members in schema order and to stop at the first type mismatch. */
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

  /** Records a type mismatch. Decoding continues. */
  recordMismatch(value: unknown, goType: string, kind: GoKind): void {
    this.save(this.converting ? formatConversionMismatch(value, goType, kind) : this.mismatchText(getJsonType(value), goType))
  }

  recordNumberMismatch(literal: string, goType: string, kind: GoKind): void {
    this.save(
      this.converting ? formatConversionMismatch(new NumberLiteral(literal), goType, kind) : this.mismatchText(`number ${literal}`, goType),
    )
  }

  private save(mismatch: string): void {
    if (this.inOrder) throw new JsonError(mismatch)
    this.saved ??= mismatch
  }

  /** Returns the error of a type mismatch that ends decoding. Used by types with their own UnmarshalJSON. */
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
    // The converter's messages have no path.
    const steps = this.converting ? [] : this.steps
    for (const step of steps) {
      if (typeof step !== 'object' || step.isDecodedAlone === true) continue
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

/** Returns the JSON type of a value, as in Go's error messages. */
export function getJsonType(value: unknown): string {
  if (typeof value === 'string') return 'string'
  if (typeof value === 'boolean') return 'bool'
  if (typeof value === 'number' || typeof value === 'bigint' || value instanceof NumberLiteral) return 'number'
  return Array.isArray(value) ? 'array' : 'object'
}

/** The decoded members of a struct, in schema order. Instances are pooled. */
export class Members {
  /** Positions of the members in the schema. Only the first `count` entries are valid. */
  readonly slots: number[] = []
  readonly values: unknown[] = []
  count = 0

  /** Inserts a member at its position in schema order. Searches from the end, because structs have few members and most arrive in schema order. */
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

/** Maximum number of pooled objects. It equals the depth of the deepest real objects. */
const maxPooled = 32
const free: Members[] = []

export function acquireMembers(): Members {
  return free.pop() ?? new Members()
}

/** Returns an object to the pool. After an error, callers may skip this. */
export function releaseMembers(members: Members): void {
  if (free.length === maxPooled) return
  members.clear()
  free.push(members)
}

/** Symbol of the property that stores the marks of `markEmpty`. The property is not enumerable, so that copies, comparisons and JSON ignore it. */
const sentEmpty: unique symbol = Symbol.for('keelson.sentEmpty')

interface Marked {
  readonly [sentEmpty]?: Set<string>
}

function readMarks(owner: object): Set<string> | undefined {
  return (owner as Marked)[sentEmpty]
}

function mark(owner: object, members: Set<string>): void {
  Object.defineProperty(owner, sentEmpty, { value: members, configurable: true })
}

/**
 * Marks a member that the client sent as `{}` or `[]`. Decoding drops empty maps and lists as if they were absent, but some error messages
 * distinguish the two cases.
 */
export function markEmpty(owner: object, member: string): void {
  const members = readMarks(owner)
  if (members === undefined) mark(owner, new Set([member]))
  else members.add(member)
}

/** Returns whether the client sent this member as `{}` or `[]`. `owner` must be the decoded object itself, because plain copies lose the marks. */
export function wasSentEmpty(owner: object, member: string): boolean {
  return readMarks(owner)?.has(member) ?? false
}

/** Copies the marks of empty members from `original` to `copy`, except for members in `replaced`. Returns `copy`. */
export function copyEmptyMarks<T extends object>(copy: T, original: object, replaced: readonly string[] = []): T {
  const members = readMarks(original)
  if (members !== undefined) mark(copy, new Set([...members].filter((member) => !replaced.includes(member))))
  return copy
}

/** Copies a value deeply, including the marks of members that the client sent empty. */
export function copyWithEmptyMarks<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(copyWithEmptyMarks) as T
  const copy: { [key: string]: unknown } = {}
  for (const [key, member] of Object.entries(value)) setOwn(copy, key, copyWithEmptyMarks(member))
  return copyEmptyMarks(copy, value) as T
}

/** Returns whether the value contains a member that the client sent empty and that still has no value. */
export function hasEmptyMarks(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  for (const member of readMarks(value) ?? []) if (((value as Record<string, unknown>)[member] ?? null) === null) return true
  return Object.values(value).some(hasEmptyMarks)
}

/** Formats the error message of a request with `fieldValidation=Strict`. */
export function formatStrictDecodingMessage(errors: readonly string[]): string {
  return `strict decoding error: ${errors.join(', ')}`
}

/** Kind of a Go type, as in Go's reflect.Kind. */
export type GoKind = 'string' | 'bool' | 'int32' | 'int64' | 'uint32' | 'uint64' | 'uint8' | 'float64' | 'slice' | 'map' | 'struct'

/**
 * Returns the error message of upstream's converter of unstructured objects for a type mismatch. The message has no path. Strategic merge patches
 * use this converter.
 */
export function formatConversionMismatch(value: unknown, goType: string, to: GoKind): string {
  const from = nameKind(value)
  switch (to) {
    case 'struct':
      return `cannot restore struct from: ${from}`
    case 'slice':
    case 'map':
      return `cannot restore ${to} from ${from}`
    default:
      // Go converts integers to strings, and floating-point numbers to integers. Only for these conversions, the message names both types.
      return isConvertible(from, to) ? `cannot convert ${from} to ${goType}` : `unrecognized type: ${to}`
  }
}

function isConvertible(from: string, to: GoKind): boolean {
  if (from === 'int64') return to !== 'bool'
  return from === 'float64' && to !== 'bool' && to !== 'string'
}

function nameKind(value: unknown): string {
  if (typeof value === 'string') return 'string'
  if (typeof value === 'boolean') return 'bool'
  if (typeof value === 'bigint') return 'int64'
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64'
  if (value instanceof NumberLiteral) return /^-?\d+$/.test(value.text) ? 'int64' : 'float64'
  return Array.isArray(value) ? 'slice' : 'map'
}
