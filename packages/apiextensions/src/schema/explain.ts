import { fieldError, formatFloat, quote, createVerbatimValue } from '@keelson/apimachinery'
import type { JsonValue, Task } from '@keelson/apimachinery'
import { accepts } from './accepts.ts'
import type { CorrelatedValue } from './correlated-value.ts'
import { hasFormat, isTextFormat } from './formats.ts'
import { Flag, has, isInteger, typeNames, formatTypes } from './schema-node.ts'
import type { Composition, Constraints, JsonMembers, SchemaNode } from './schema-node.ts'
import { createInvalid, createProblem, createProblemWithoutField, createTypeInvalid, ValidationResult } from './validation-result.ts'
import {
  convertBound,
  checkType,
  countMembers,
  hasDuplicates,
  isAbove,
  isBelow,
  isMultipleOf,
  isMultipleOfFloat,
  isOutOfRange,
  isTooLong,
  isTooShort,
  matchPattern,
  formatForMessage,
  getTypeFlag,
} from './value-checks.ts'

export interface ExplainOptions {
  /** Path of the value in problems. */
  readonly path: string
  /** The value with the old value of an update. Problems of unchanged parts are forgiven. */
  readonly old?: CorrelatedValue | undefined
  /** True for an alternative in `anyOf` or the like. Its match count decides which problems are reported, so valid parts are visited too. */
  readonly isAlternative?: boolean
}

/**
 * Validates a value and returns its problems in the words of kube-openapi. The result is valid if `accepts` returns true. Yields after each part
 * of the value. Ends early if there are more problems than a request reports.
 */
export function* explain(node: SchemaNode, value: JsonValue, options: ExplainOptions): Task<ValidationResult> {
  const { old } = options
  const result = new ValidationResult()
  yield* new Explanation(node, result, options).explain(value)
  if (old !== undefined && !result.isValid && old.isUnchanged) result.forgive()
  yield
  return result
}

/** The validation of one value by one schema. Each method is a validator of kube-openapi, in the same order and with the same match counts. */
class Explanation {
  readonly #node: SchemaNode
  readonly #result: ValidationResult
  readonly #path: string
  readonly #old: CorrelatedValue | undefined
  readonly #isAlternative: boolean

  constructor(node: SchemaNode, result: ValidationResult, { path, old, isAlternative = false }: ExplainOptions) {
    this.#node = node
    this.#result = result
    this.#path = path
    this.#old = old
    this.#isAlternative = isAlternative
  }

  *explain(value: JsonValue): Task<undefined> {
    const { constraints } = this.#node
    if (value === null) {
      this.#checkNull()
      this.#checkEnum(value)
      return undefined
    }
    if (has(this.#node, Flag.anyType) || constraints?.format !== undefined) this.#checkType(value)
    if (this.#node.composition !== undefined) yield* this.#compose(this.#node.composition, value)
    this.#checkByType(value)
    if (Array.isArray(value)) yield* this.#checkItems(value)
    this.#checkEnum(value)
    if (typeof value === 'object' && !Array.isArray(value)) yield* this.#checkMembers(value)
    // One match for the value, one for the enum, and two for the alternatives. The methods count the others.
    this.#result.matches += 4
    return undefined
  }

  #add(text: string, toError: ReturnType<typeof createInvalid>): void {
    this.#result.add(createProblem(this.#path, text, toError))
  }

  #checkNull(): void {
    const types = formatTypes(this.#node)
    if (types === '' || has(this.#node, Flag.nullable)) this.#result.matches++
    else this.#add(`${this.#path} in body must be of type ${types}: "null"`, createTypeInvalid('null'))
  }

  #checkType(value: JsonValue): void {
    this.#result.matches++
    const check = checkType(this.#node, value)
    if (check === 'valid') this.#result.matches++
    else if (check === 'wrong type') this.#addTypeProblem(formatTypes(this.#node), describeType(value))
    else this.#addTypeProblem(this.#node.constraints!.format!, describeFormat(value))
  }

  #addTypeProblem(expected: string, actual: string): void {
    this.#add(`${this.#path} in body must be of type ${expected}: ${quote(actual)}`, createTypeInvalid(actual))
  }

  #checkByType(value: JsonValue): void {
    const { constraints } = this.#node
    if (typeof value === 'boolean') return
    this.#result.matches++
    if (typeof value === 'object') return
    if (typeof value !== 'string') {
      this.#result.matches++
      this.#checkRange(value, 'Checked')
      if (constraints !== undefined) this.#checkNumber(constraints, value)
      return
    }
    if (constraints === undefined) return
    this.#checkText(constraints, value)
    if (constraints.format !== undefined && isTextFormat(constraints.format)) this.#checkFormat(constraints.format, value)
  }

  #checkText({ minLength, maxLength, pattern }: Constraints, text: string): void {
    if (maxLength !== undefined && isTooLong(text, maxLength)) {
      this.#add(`${this.#path} in body should be at most ${maxLength} chars long`, (path) => fieldError.tooLong(path, maxLength))
    } else if (minLength !== undefined && isTooShort(text, minLength)) {
      this.#add(`${this.#path} in body should be at least ${minLength} chars long`, createInvalid(text))
    } else if (pattern !== undefined) this.#checkPattern(pattern, text)
  }

  #checkPattern(pattern: string, text: string): void {
    const match = matchPattern(text, pattern)
    if (match === true) return
    const detail = typeof match === 'string' ? `${pattern}, but pattern is invalid: ${match}` : pattern
    this.#add(`${this.#path} in body should match '${detail}'`, createInvalid(text))
  }

  #checkFormat(format: string, text: string): void {
    this.#result.matches++
    if (!hasFormat(text, format)) this.#addTypeProblem(format, text)
  }

  #checkNumber({ multipleOf, minimum, maximum, exclusiveMinimum, exclusiveMaximum }: Constraints, value: number | bigint): void {
    if (multipleOf !== undefined) this.#checkMultiple(value, multipleOf)
    if (maximum !== undefined) {
      const isValidLimit = this.#checkRange(maximum, 'Maximum boundary')
      const bound = isValidLimit ? convertBound(value, maximum) : maximum
      if (isAbove(value, bound, exclusiveMaximum)) {
        this.#addLimit(exclusiveMaximum ? 'less than' : 'less than or equal to', { value, bound, isInt: isValidLimit && isInteger(value) })
      }
    }
    if (minimum !== undefined) {
      const isValidLimit = this.#checkRange(minimum, 'Minimum boundary')
      const bound = isValidLimit ? convertBound(value, minimum) : minimum
      if (isBelow(value, bound, exclusiveMinimum)) {
        const relation = exclusiveMinimum ? 'greater than' : 'greater than or equal to'
        this.#addLimit(relation, { value, bound, isInt: isValidLimit && isInteger(value) })
      }
    }
  }

  #addLimit(relation: string, { value, bound, isInt }: { value: number | bigint; bound: number; isInt: boolean }): void {
    this.#add(`${this.#path} in body should be ${relation} ${numberText(bound, isInt)}`, createInvalid(numberValue(value, isInt)))
  }

  #checkMultiple(value: number | bigint, multipleOf: number): void {
    const isValidFactor = this.#checkRange(multipleOf, 'MultipleOf')
    const isInt = isValidFactor && isInteger(value)
    const factor = isInt ? convertBound(value, multipleOf) : multipleOf
    if (factor <= 0) {
      const text = numberText(factor, isInt)
      this.#add(`factor MultipleOf declared for ${this.#path} must be positive: ${text}`, createInvalid(createVerbatimValue(text)))
    } else if (!(isInt ? isMultipleOf(value, factor) : isMultipleOfFloat(Number(value), factor))) {
      this.#add(`${this.#path} in body should be a multiple of ${numberText(factor, isInt)}`, createInvalid(numberValue(value, isInt)))
    }
  }

  /** Checks that a number is in the range of the schema's type and format. */
  #checkRange(value: number | bigint, prefix: string): boolean {
    const types = this.#node.flags & Flag.anyType
    const format = this.#node.constraints?.format
    if (!isOutOfRange(value, types, format)) return true
    const isNumberFormat = format !== undefined && numberFormats[types]?.includes(format) === true
    const formatText = isNumberFormat ? `with format ${format}` : '(default format)'
    this.#result.add(createProblemWithoutField(`${prefix} value must be of type ${formatTypes(this.#node)} ${formatText} in ${this.#path}`))
    return false
  }

  *#checkItems(items: readonly JsonValue[]): Task<undefined> {
    const { items: schema, constraints } = this.#node
    if (schema !== undefined) {
      for (let i = 0; i < items.length; i++) {
        if (this.#mustVisit(schema, items[i]!)) {
          const options = { path: `${this.#path}[${i}]`, old: this.#old?.index(i), isAlternative: this.#isAlternative }
          this.#result.merge(yield* explain(schema, items[i]!, options))
        }
        yield
        if (this.#isFull) break
      }
    }
    this.#result.matches++
    if (constraints !== undefined) this.#checkLength(constraints, items)
    return undefined
  }

  /** Returns whether a part can have problems, or counts for the number of matches. Parts that take long are visited step by step. */
  #mustVisit(node: SchemaNode, value: JsonValue): boolean {
    return this.#isAlternative || !accepts(node, value)
  }

  /** Whether further problems would not be reported. */
  get #isFull(): boolean {
    return this.#result.isFull && !this.#isAlternative
  }

  #checkLength({ minItems, maxItems, uniqueItems }: Constraints, items: readonly JsonValue[]): void {
    const size = items.length
    if (minItems !== undefined && size < minItems) {
      this.#add(`${this.#path} in body should have at least ${minItems} items`, createInvalid(size))
    }
    if (maxItems !== undefined && size > maxItems) {
      this.#add(`${this.#path} in body should have at most ${maxItems} items`, (path) => fieldError.tooMany(path, size, maxItems))
    }
    if (uniqueItems && hasDuplicates(items)) this.#add(`${this.#path} in body shouldn't contain duplicates`, createInvalid(''))
  }

  #checkEnum(value: JsonValue): void {
    const allowed = this.#node.constraints?.enum
    if (allowed === undefined || allowed.has(value)) return
    const { texts } = allowed
    this.#add(`${this.#path} in body should be one of [${texts.join(' ')}]`, (path) =>
      fieldError.notSupported(path, formatForMessage(value), texts),
    )
  }

  *#checkMembers(value: JsonMembers): Task<undefined> {
    const { constraints } = this.#node
    if (constraints !== undefined) this.#checkSize(constraints, countMembers(value))
    const { properties, additional, required } = this.#node
    if (additional !== undefined || has(this.#node, Flag.forbidsAdditional)) {
      for (const key in value) if (properties?.has(key) !== true) yield* this.#checkAdditional(key, value[key]!)
    }
    for (const key in value) {
      const property = properties?.get(key)
      if (property === undefined) continue
      yield* this.#checkMember(property, value[key]!, { key, path: this.#path === '' ? key : `${this.#path}.${key}` })
    }
    for (const name of required ?? []) {
      if (Object.hasOwn(value, name)) continue
      const path = `${this.#path}.${name}`
      this.#result.add(createProblem(path, `${path} in body is required`, (field) => fieldError.required(field)))
    }
    return undefined
  }

  #checkSize({ minProperties, maxProperties }: Constraints, size: number): void {
    if (minProperties !== undefined && size < minProperties) {
      this.#add(`${this.#path} in body should have at least ${minProperties} properties`, createInvalid(size))
    }
    if (maxProperties !== undefined && size > maxProperties) {
      const text = `${this.#path} in body should have at most ${maxProperties} properties`
      this.#add(text, (path) => fieldError.tooMany(path, size, maxProperties))
    }
  }

  *#checkAdditional(key: string, value: JsonValue): Task<undefined> {
    const { additional } = this.#node
    if (additional !== undefined) yield* this.#checkMember(additional, value, { key, path: `${this.#path}.${key}` })
    else this.#add(`${this.#path}.${key} in body is a forbidden property`, createInvalid(key))
    return undefined
  }

  *#checkMember(node: SchemaNode, value: JsonValue, { key, path }: { readonly key: string; readonly path: string }): Task<undefined> {
    yield
    if (!this.#mustVisit(node, value) || this.#isFull) return undefined
    const isTypeMeta = this.#path === '' && (key === 'apiVersion' || key === 'kind')
    const old = isTypeMeta ? undefined : this.#old?.key(key)
    this.#result.merge(yield* explain(node, value, { path, old, isAlternative: this.#isAlternative }))
    return undefined
  }

  *#compose({ allOf, anyOf, oneOf, not }: Composition, value: JsonValue): Task<undefined> {
    if (anyOf !== undefined) yield* this.#checkAnyOf(anyOf, value)
    if (oneOf !== undefined) yield* this.#checkOneOf(oneOf, value)
    if (allOf !== undefined) yield* this.#checkAllOf(allOf, value)
    if (not !== undefined && (yield* explain(not, value, { path: this.#path, isAlternative: true })).isValid) {
      this.#result.add(createProblemWithoutField(`${quote(this.#path)} must not validate the schema (not)`))
    }
    return undefined
  }

  *#checkAnyOf(nodes: readonly SchemaNode[], value: JsonValue): Task<undefined> {
    let best: ValidationResult | undefined
    for (const node of nodes) {
      const result = yield* explain(node, value, { path: this.#path, isAlternative: true })
      if (result.isValid) {
        this.#result.merge(result)
        return undefined
      }
      if (best === undefined || result.matches > best.matches) best = result
    }
    this.#result.add(createProblemWithoutField(`${quote(this.#path)} must validate at least one schema (anyOf)`))
    this.#result.merge(best!)
    return undefined
  }

  *#checkOneOf(nodes: readonly SchemaNode[], value: JsonValue): Task<undefined> {
    let best: ValidationResult | undefined
    let first: ValidationResult | undefined
    let count = 0
    for (const node of nodes) {
      const result = yield* explain(node, value, { path: this.#path, isAlternative: true })
      if (result.isValid) {
        count++
        first ??= result
      } else if (count === 0 && (best === undefined || result.matches > best.matches)) best = result
    }
    if (count === 1) {
      this.#result.merge(first!)
      return undefined
    }
    const found = count === 0 ? 'Found none valid' : `Found ${count} valid alternatives`
    this.#result.add(createProblemWithoutField(`${quote(this.#path)} must validate one and only one schema (oneOf). ${found}`))
    if (count === 0) this.#result.merge(best!)
    return undefined
  }

  *#checkAllOf(nodes: readonly SchemaNode[], value: JsonValue): Task<undefined> {
    let count = 0
    for (const node of nodes) {
      const result = yield* explain(node, value, { path: this.#path, isAlternative: true })
      if (result.isValid) count++
      this.#result.merge(result)
    }
    if (count === nodes.length) return undefined
    const none = count === 0 ? '. None validated' : ''
    this.#result.add(createProblemWithoutField(`${quote(this.#path)} must validate all the schemas (allOf)${none}`))
    return undefined
  }
}

const numberFormats: Readonly<Record<number, readonly string[]>> = {
  [Flag.integer]: ['int32', 'int64'],
  [Flag.number]: ['float', 'double'],
}

/** Returns the format that kube-openapi names for a value of the wrong format. */
function describeFormat(value: JsonValue): string {
  const type = getTypeFlag(value)
  return type === Flag.integer ? 'int64' : type === Flag.number ? 'float64' : ''
}

function describeType(value: JsonValue): string {
  return typeNames[Math.log2(getTypeFlag(value))]!
}

function numberText(value: number | bigint, isInt: boolean): string {
  return isInt ? String(BigInt(value)) : formatFloat(Number(value))
}

/** Returns a number for an error, which prints it as an integer or as a float. */
function numberValue(value: number | bigint, isInt: boolean): unknown {
  return isInt ? value : createVerbatimValue(formatFloat(Number(value)))
}
