import type { JsonValue } from '@keelson/apimachinery'
import { isPatternCached } from '@keelson/cel'
import { hasFormat } from './formats.ts'
import { Flag, has } from './schema-node.ts'
import type { Composition, Constraints, JsonMembers, SchemaNode } from './schema-node.ts'
import {
  convertBound,
  checkType,
  countMembers,
  hasDuplicates,
  isAbove,
  isBelow,
  isMultipleOf,
  isOutOfRange,
  isTooLong,
  isTooShort,
  matchPattern,
} from './value-checks.ts'

/** Work that one call of `accepts` may do, in values. It takes up to three milliseconds. */
const maxWork = 20_000
/** Work of compiling a pattern that is not in the cache. Most patterns take less, and the largest ones take more. */
const patternWork = 2000
/** Number of characters that can be matched with a pattern in the time of one value. */
const charactersPerWork = 8

const undecided = new Error('validating the value takes too long')
let remaining = 0

/**
 * Returns whether a value is valid. Returns false also if validating it takes long, for example because alternatives multiply the work.
 * `explain` then decides, and can pause. Allocates nothing, unlike `explain`, which finds the errors of an invalid value.
 */
export function accepts(node: SchemaNode, value: JsonValue): boolean {
  remaining = maxWork
  try {
    return acceptsValue(node, value)
  } catch (error) {
    if (error === undecided) return false
    throw error
  }
}

function spend(work: number): void {
  remaining -= work
  if (remaining < 0) throw undecided
}

function acceptsValue(node: SchemaNode, value: JsonValue): boolean {
  if (!has(node, Flag.constrains)) return true
  spend(1)
  if (value === null) return acceptsNull(node)
  if (checkType(node, value) !== 'valid') return false
  if (node.constraints !== undefined && !satisfiesConstraints(node, node.constraints, value)) return false
  if (node.composition !== undefined && !satisfiesComposition(node.composition, value)) return false
  if (typeof value !== 'object') return true
  return Array.isArray(value) ? acceptsItems(node, value) : acceptsMembers(node, value)
}

function acceptsNull(node: SchemaNode): boolean {
  const hasType = has(node, Flag.anyType)
  return (!hasType || has(node, Flag.nullable)) && node.constraints?.enum === undefined
}

function acceptsItems(node: SchemaNode, items: readonly JsonValue[]): boolean {
  const schema = node.items
  if (schema === undefined || !has(schema, Flag.constrains)) return true
  for (let i = 0; i < items.length; i++) if (!acceptsValue(schema, items[i]!)) return false
  return true
}

function acceptsMembers(node: SchemaNode, value: JsonMembers): boolean {
  const { properties, additional, required } = node
  const forbids = has(node, Flag.forbidsAdditional)
  if (properties !== undefined || additional !== undefined || forbids) {
    for (const key in value) {
      const property = properties?.get(key)
      if (property === undefined && forbids) return false
      const schema = property ?? additional
      if (schema !== undefined && !acceptsValue(schema, value[key]!)) return false
    }
  }
  for (let i = 0; i < (required?.length ?? 0); i++) if (!Object.hasOwn(value, required![i]!)) return false
  return true
}

function satisfiesConstraints(node: SchemaNode, constraints: Constraints, value: JsonValue): boolean {
  if (constraints.enum?.has(value) === false) return false
  switch (typeof value) {
    case 'string':
      return isValidText(constraints, value)
    case 'boolean':
      return true
    case 'object':
      return Array.isArray(value) ? isValidList(constraints, value) : hasValidSize(constraints, value!)
    default:
      return isValidNumber(constraints, value, node.flags & Flag.anyType)
  }
}

function isValidText({ minLength, maxLength, pattern, format }: Constraints, text: string): boolean {
  if (maxLength !== undefined && isTooLong(text, maxLength)) return false
  if (minLength !== undefined && isTooShort(text, minLength)) return false
  if (pattern !== undefined && !matches(text, pattern)) return false
  return format === undefined || hasFormat(text, format)
}

function matches(text: string, pattern: string): boolean {
  spend(Math.trunc(text.length / charactersPerWork))
  if (!isPatternCached(pattern)) spend(patternWork)
  return matchPattern(text, pattern) === true
}

function isValidList({ minItems, maxItems, uniqueItems }: Constraints, items: readonly JsonValue[]): boolean {
  if (minItems !== undefined && items.length < minItems) return false
  if (maxItems !== undefined && items.length > maxItems) return false
  return !uniqueItems || !hasDuplicates(items)
}

function hasValidSize({ minProperties, maxProperties }: Constraints, value: JsonMembers): boolean {
  if (minProperties === undefined && maxProperties === undefined) return true
  const size = countMembers(value)
  return !(size < (minProperties ?? 0)) && !(size > (maxProperties ?? size))
}

function isValidNumber(constraints: Constraints, value: number | bigint, types: number): boolean {
  const { format, multipleOf, minimum, maximum, exclusiveMinimum, exclusiveMaximum } = constraints
  if (isOutOfRange(value, types, format)) return false
  if (multipleOf !== undefined) {
    const factor = convertBound(value, multipleOf)
    if (isOutOfRange(multipleOf, types, format) || factor <= 0 || !isMultipleOf(value, factor)) return false
  }
  if (maximum !== undefined) {
    if (isOutOfRange(maximum, types, format) || isAbove(value, convertBound(value, maximum), exclusiveMaximum)) return false
  }
  if (minimum === undefined) return true
  return !isOutOfRange(minimum, types, format) && !isBelow(value, convertBound(value, minimum), exclusiveMinimum)
}

function satisfiesComposition({ allOf, anyOf, oneOf, not }: Composition, value: JsonValue): boolean {
  if (allOf !== undefined && countAccepting(allOf, value) < allOf.length) return false
  if (anyOf !== undefined && !anyOf.some((schema) => acceptsValue(schema, value))) return false
  if (oneOf !== undefined && countAccepting(oneOf, value) !== 1) return false
  return not === undefined || !acceptsValue(not, value)
}

function countAccepting(schemas: readonly SchemaNode[], value: JsonValue): number {
  let count = 0
  for (let i = 0; i < schemas.length; i++) if (acceptsValue(schemas[i]!, value)) count++
  return count
}
