import { conversionMisfit } from './conversion-misfit.ts'
import type { GoKind } from './conversion-misfit.ts'
import { quote } from './go-text.ts'
import { JsonError } from './json-error.ts'
import { NumberLiteral } from './json-number.ts'
import type { FieldSchema } from './type-schema.ts'

const maxStrictErrors = 100

/** One step from the outermost object to where the decoder stands: a struct's field, an index, a map's key. */
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

/** Where a decoder stands and what it has found wrong so far. */
export class DecodeContext {
  readonly steps: Step[] = []
  readonly keepEmptyLists: boolean
  /** What is canonical already is not copied. */
  readonly reuse: boolean
  /** Whether an empty list, or an empty map in a list, became null. */
  emptied = false
  /** Types that decode themselves look at nothing strictly below them. */
  strict: boolean
  /** The first misfit. Decoding goes on after it, because an error that ends decoding at once takes its place. */
  saved: string | undefined
  readonly converting: boolean
  /** Members are read in the order of their types, and the first misfit ends decoding. */
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

  /** A value that does not fit its type. */
  misfit(value: unknown, goType: string, kind: GoKind): void {
    this.save(this.converting ? conversionMisfit(value, goType, kind) : this.misfitText(describe(value), goType))
  }

  misfitNumber(literal: string, goType: string, kind: GoKind): void {
    this.save(this.converting ? conversionMisfit(new NumberLiteral(literal), goType, kind) : this.misfitText(`number ${literal}`, goType))
  }

  private save(misfit: string): void {
    if (this.inOrder) throw new JsonError(misfit)
    this.saved ??= misfit
  }

  /** The same of types that decode themselves: it ends decoding. */
  fatalMisfit(what: string, goType: string): JsonError {
    return new JsonError(this.misfitText(what, goType))
  }

  strictError(what: 'unknown field' | 'duplicate field', key: string): void {
    if (!this.strict) return
    this.strictErrorSet ??= new Set()
    if (this.strictErrorSet.size < maxStrictErrors) this.strictErrorSet.add(`${what} ${quote(this.strictPath(key))}`)
  }

  private misfitText(what: string, goType: string): string {
    let owner = ''
    const names: string[] = []
    // A type that decodes itself is handed its value alone.
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

/** JSON's word for a value. */
export function describe(value: unknown): string {
  if (typeof value === 'string') return 'string'
  if (typeof value === 'boolean') return 'bool'
  if (typeof value === 'number' || typeof value === 'bigint' || value instanceof NumberLiteral) return 'number'
  return Array.isArray(value) ? 'array' : 'object'
}
