import { appendAll, fieldError, FieldPath } from '@keelson/apimachinery'
import type { FieldErrorList, JsonValue } from '@keelson/apimachinery'
import { Flag, has } from './schema-node.ts'
import type { JsonMembers, SchemaNode } from './schema-node.ts'
import { formatForMessage, SeenValues } from './value-checks.ts'

type Path = FieldPath | undefined

/** Finds duplicates in lists of type set and map, and items of lists of type map that are not objects. */
export function validateKeyedLists(node: SchemaNode, value: JsonValue, path: Path): FieldErrorList {
  if (!has(node, Flag.hasKeyedLists) || typeof value !== 'object' || value === null) return []
  return Array.isArray(value) ? validateList(node, value, path) : validateMembers(node, value, path)
}

function validateMembers(node: SchemaNode, value: JsonMembers, path: Path): FieldErrorList {
  const errors: FieldErrorList = []
  const { properties, additional } = node
  for (const key in value) {
    if (additional !== undefined) appendAll(errors, validateKeyedLists(additional, value[key]!, new FieldPath(key, path, true)))
    const property = properties?.get(key)
    if (property !== undefined) appendAll(errors, validateKeyedLists(property, value[key]!, new FieldPath(key, path)))
  }
  return errors
}

function validateList(node: SchemaNode, items: readonly JsonValue[], path: Path): FieldErrorList {
  const errors: FieldErrorList = []
  if (has(node, Flag.isSet)) {
    for (const i of findRepeated(items)) errors.push(fieldError.duplicate(new FieldPath(i, path, true), formatForMessage(items[i]!)))
  } else if (has(node, Flag.isMapList)) appendAll(errors, validateMapList(node.listMapKeys ?? [], items, path))
  if (node.items === undefined || !has(node.items, Flag.hasKeyedLists)) return errors
  items.forEach((item, i) => appendAll(errors, validateKeyedLists(node.items!, item, new FieldPath(i, path, true))))
  return errors
}

function validateMapList(keys: readonly string[], items: readonly JsonValue[], path: Path): FieldErrorList {
  const wrong = items.findIndex((item) => item !== null && (typeof item !== 'object' || Array.isArray(item)))
  if (wrong >= 0) {
    const detail = 'must be an object for an array of list-type map'
    return [fieldError.invalid(new FieldPath(wrong, path, true), formatForMessage(items[wrong]!), detail)]
  }
  const itemKeys = items.map((item) => pickKeys(item as JsonMembers | null, keys))
  return findRepeated(itemKeys).map((i) => fieldError.duplicate(new FieldPath(i, path, true), formatForMessage(itemKeys[i]!)))
}

function pickKeys(item: JsonMembers | null, keys: readonly string[]): JsonMembers {
  return Object.fromEntries(keys.filter((key) => item !== null && Object.hasOwn(item, key)).map((key) => [key, item![key]!]))
}

/** Returns the index of the second of equal values. Later ones are not reported again. */
function findRepeated(values: readonly JsonValue[]): readonly number[] {
  if (values.length < 2) return []
  const seen = new SeenValues()
  const repeated: number[] = []
  values.forEach((value, i) => {
    if (seen.add(value) === 2) repeated.push(i)
  })
  return repeated
}
