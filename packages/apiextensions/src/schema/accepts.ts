import type { JsonValue } from '@keelson/apimachinery'
import { hasFormat } from './formats.ts'
import { Flag, has } from './schema-node.ts'
import type { Composition, Constraints, JsonMembers, SchemaNode } from './schema-node.ts'
import {
  boundFor,
  checkType,
  countMembers,
  hasDuplicates,
  isAbove,
  isBelow,
  isInEnum,
  isMultipleOf,
  isOutOfRange,
  isTooLong,
  isTooShort,
  matchPattern,
} from './value-checks.ts'

/**
 * Returns whether a value is valid. Allocates nothing, unlike `explain`, which finds the errors of an invalid value.
 */
export function accepts(node: SchemaNode, value: JsonValue): boolean {
  if (!has(node, Flag.constrains)) return true
  if (value === null) return acceptsNull(node)
  if (checkType(node, value) !== 'valid') return false
  if (node.constraints !== undefined && !meetsConstraints(node, node.constraints, value)) return false
  if (node.composition !== undefined && !meetsComposition(node.composition, value)) return false
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
  for (let i = 0; i < items.length; i++) if (!accepts(schema, items[i]!)) return false
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
      if (schema !== undefined && !accepts(schema, value[key]!)) return false
    }
  }
  for (let i = 0; i < (required?.length ?? 0); i++) if (!Object.hasOwn(value, required![i]!)) return false
  return true
}

function meetsConstraints(node: SchemaNode, constraints: Constraints, value: JsonValue): boolean {
  if (constraints.enum !== undefined && !isInEnum(value, constraints.enum)) return false
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
  if (pattern !== undefined && matchPattern(text, pattern) !== true) return false
  return format === undefined || hasFormat(text, format)
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
    const factor = boundFor(value, multipleOf)
    if (isOutOfRange(multipleOf, types, format) || factor <= 0 || !isMultipleOf(value, factor)) return false
  }
  if (maximum !== undefined) {
    if (isOutOfRange(maximum, types, format) || isAbove(value, boundFor(value, maximum), exclusiveMaximum)) return false
  }
  if (minimum === undefined) return true
  return !isOutOfRange(minimum, types, format) && !isBelow(value, boundFor(value, minimum), exclusiveMinimum)
}

function meetsComposition({ allOf, anyOf, oneOf, not }: Composition, value: JsonValue): boolean {
  if (allOf !== undefined && countAccepting(allOf, value) < allOf.length) return false
  if (anyOf !== undefined && !anyOf.some((schema) => accepts(schema, value))) return false
  if (oneOf !== undefined && countAccepting(oneOf, value) !== 1) return false
  return not === undefined || !accepts(not, value)
}

function countAccepting(schemas: readonly SchemaNode[], value: JsonValue): number {
  let count = 0
  for (let i = 0; i < schemas.length; i++) if (accepts(schemas[i]!, value)) count++
  return count
}

/** Maximum number of values that are validated without a pause. It takes a few milliseconds. */
const maxUndivided = 30_000

/** Returns whether alternatives in the schema (`anyOf` and others) multiply the work for a value too much to do it without a pause. */
export function isLarge({ repetitions }: SchemaNode, value: JsonValue): boolean {
  return repetitions > 1 && repetitions * countValues(value, maxUndivided / repetitions) > maxUndivided
}

/** Returns the number of values in a value. Stops counting above `limit`. */
function countValues(value: JsonValue, limit: number): number {
  if (typeof value !== 'object' || value === null) return 1
  let count = 1
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length && count <= limit; i++) count += countValues(value[i]!, limit - count)
    return count
  }
  for (const key in value) {
    if (count > limit) break
    count += countValues(value[key]!, limit - count)
  }
  return count
}
