import { conversionMismatch } from './conversion-mismatch.ts'
import type { GoKind } from './conversion-mismatch.ts'
import { quote } from './go-text.ts'
import { JsonError } from './json-error.ts'
import { NumberLiteral } from './json-number.ts'
import type { FieldSchema } from './type-schema.ts'

const maxStrictErrors = 100

/** One step of a path: a struct's field, an index, or a map's key. */
export type Step = FieldStep | number | string
export interface FieldStep {
  readonly owner: string
  readonly field: FieldSchema
}

export interface DecodeContextOptions {
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
