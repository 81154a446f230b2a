import { quote } from './go-text.ts'
import { JsonError } from './json-error.ts'
import { NumberLiteral, setOwn } from './json-reader.ts'
import type { FieldSchema } from './type-schema.ts'

/** The `fieldValidation` of a request. */
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
  /** The caller gives up the input: canonical parts become part of the result instead of being copied. */
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
  /** True to share canonical input instead of copying it. */
  readonly reuse: boolean
  /** Whether an empty list, or an empty map in a list, became null. */
  emptied = false
  /** False within types with their own UnmarshalJSON: they do not check strictly. */
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

  /** Like `recordMismatch`, for types with their own UnmarshalJSON: it ends decoding. */
  fatalMismatch(what: string, goType: string): JsonError {
    return new JsonError(this.mismatchText(what, goType))
  }

  strictError(what: 'unknown field' | 'duplicate field', key: string): void {
    if (!this.strict) return
    this.strictErrorSet ??= new Set()
    if (this.strictErrorSet.size < maxStrictErrors) this.strictErrorSet.add(`${what} ${quote(this.strictPath(key))}`)
  }

  private mismatchText(what: string, goType: string): string {
    let owner = ''
    const names: string[] = []
    // Such a type sees only its own value, not the path.
    const steps = this.converting ? [] : this.steps
    for (const step of steps) {
      if (typeof step !== 'object') continue
      owner = step.owner
      if (step.field.embedded !== undefined) names.push(...step.field.embedded)
      names.push(step.field.name)
    }
    const target = names.length === 0 ? 'value' : `struct field ${owner}.${names.join('.')}`
    return `json: cannot unmarshal ${what} into Go ${target} of type ${goType}`
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

/** The decoded members of a struct in schema order, whatever their order in the input. Pooled: decoding acquires and releases one. */
export class Members {
  /** Only the first `count` entries are valid. */
  readonly slots: number[] = []
  readonly values: unknown[] = []
  count = 0

  /** Inserts from the end: members are few and usually in order. */
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

/** The maximum depth of real objects. */
const maxPooled = 32
const free: Members[] = []

export function acquireMembers(): Members {
  return free.pop() ?? new Members()
}

/** A lost one, after decoding threw, is harmless. */
export function releaseMembers(members: Members): void {
  if (free.length === maxPooled) return
  members.clear()
  free.push(members)
}

/** The marks are a property of the object that they are about. It is not enumerable: a plain copy, a comparison and JSON leave it out. */
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
 * Records that a member was sent empty, which the decoded object cannot show: absent and empty maps and lists are stored alike, but errors
 * distinguish them.
 */
export function rememberEmpty(owner: object, member: string): void {
  const members = marksOf(owner)
  if (members === undefined) mark(owner, new Set([member]))
  else members.add(member)
}

/** Returns whether `owner`, the decoded object and not a copy, was sent with `{}` or `[]` for this member. */
export function wasSentEmpty(owner: object, member: string): boolean {
  return marksOf(owner)?.has(member) ?? false
}

/** Copies the "was sent empty" marks of `original` to `copy`, except for members in `replaced`; returns `copy`. */
export function asSent<T extends object>(copy: T, original: object, replaced: readonly string[] = []): T {
  const members = marksOf(original)
  if (members !== undefined) mark(copy, new Set([...members].filter((member) => !replaced.includes(member))))
  return copy
}

/** Copies deeply, including the "was sent empty" marks. */
export function copyAsSent<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(copyAsSent) as T
  const copy: { [key: string]: unknown } = {}
  for (const [key, member] of Object.entries(value)) setOwn(copy, key, copyAsSent(member))
  return asSent(copy, value) as T
}

/** Returns whether anything in the value was sent empty and not replaced since. */
export function holdsSentEmpty(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  for (const member of marksOf(value) ?? []) if (((value as Record<string, unknown>)[member] ?? null) === null) return true
  return Object.values(value).some(holdsSentEmpty)
}

/** Formats the error of a Strict request. */
export function strictDecodingMessage(errors: readonly string[]): string {
  return `strict decoding error: ${errors.join(', ')}`
}

/** The reflect.Kind of a Go type, whatever its name. */
export type GoKind = 'string' | 'bool' | 'int32' | 'int64' | 'uint32' | 'uint64' | 'uint8' | 'float64' | 'slice' | 'map' | 'struct'

/**
 * Returns the error of a type mismatch in the words of upstream's converter from unstructured objects, which strategic merge patches use.
 * Unlike decoding errors, it names no path.
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
      // Go converts integers to strings and floats to integers, so only those have a message with names.
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
