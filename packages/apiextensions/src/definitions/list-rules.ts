import { fieldError } from '@keelson/apimachinery'
import type { FieldErrorList, FieldPath } from '@keelson/apimachinery'
import type { Schema } from './hub-spec.ts'
import { printItems } from './internal-text.ts'
import { getSingleSchema } from './subschemas.ts'

// Rules for x-kubernetes-list-type, x-kubernetes-list-map-keys and x-kubernetes-map-type.

const listType = 'x-kubernetes-list-type'
const mapType = 'x-kubernetes-map-type'
const mapKeys = 'x-kubernetes-list-map-keys'

export function validateMapType(schema: Schema, path: FieldPath): FieldErrorList {
  const map = schema[mapType]
  if (map === undefined) return []
  return [
    ...requireType(schema, 'object', [path, mapType]),
    ...(map === 'atomic' || map === 'granular' ? [] : [fieldError.notSupported(path.child(mapType), map, ['atomic', 'granular'])]),
  ]
}

/** Validates the list type and its keys. With `requiresAtomicItems`, the items of a set must be atomic. */
export function validateListType(schema: Schema, path: FieldPath, options: { readonly requiresAtomicItems: boolean }): FieldErrorList {
  const list = schema[listType]
  const keys = schema[mapKeys] ?? []
  const errors: FieldErrorList = []
  if (list !== undefined) {
    const typeErrors = requireType(schema, 'array', [path, listType])
    errors.push(...typeErrors)
    if (typeErrors.length === 0 && options.requiresAtomicItems) errors.push(...validateSetItems(schema, path))
    if (list !== 'atomic' && list !== 'set' && list !== 'map') {
      errors.push(fieldError.notSupported(path.child(listType), list, ['atomic', 'set', 'map']))
    }
  }
  if (keys.length > 0 && list !== 'map') {
    const detail = 'must be map if x-kubernetes-list-map-keys is non-empty'
    const at = path.child(listType)
    errors.push(list === undefined ? fieldError.required(at, detail) : fieldError.invalid(at, list, detail))
  }
  if (list === 'map') errors.push(...validateMapItems(schema, path))
  return errors
}

function requireType({ type = '' }: Schema, expected: string, [path, member]: readonly [FieldPath, string]): FieldErrorList {
  if (type === expected) return []
  const detail = `must be ${expected} if ${member} is specified`
  const at = path.child('type')
  return [type === '' ? fieldError.required(at, detail) : fieldError.invalid(at, type, detail)]
}

/** Returns whether the schema is a set whose items have parts that could be merged. */
export function isSetOfNonAtomicItems(schema: Schema): boolean {
  const item = getSingleSchema(schema.items)
  if (schema[listType] !== 'set' || item === undefined) return false
  if (item.type === 'array') return item[listType] !== undefined && item[listType] !== 'atomic'
  return item.type === 'object' && item[mapType] !== 'atomic'
}

function validateSetItems(schema: Schema, path: FieldPath): FieldErrorList {
  if (!isSetOfNonAtomicItems(schema)) return []
  const item = getSingleSchema(schema.items)!
  const member = item.type === 'array' ? listType : mapType
  // As in kube-apiserver, the error of either member shows the list type.
  const detail = 'must be atomic as item of a list with x-kubernetes-list-type=set'
  return [fieldError.invalid(path.child('items', member), item[listType] ?? null, detail)]
}

function validateMapItems(schema: Schema, path: FieldPath): FieldErrorList {
  const keys = schema[mapKeys] ?? []
  const errors: FieldErrorList = []
  const { items } = schema
  const item = getSingleSchema(items)
  if (keys.length === 0) errors.push(fieldError.required(path.child(mapKeys), 'must not be empty if x-kubernetes-list-type is map'))
  if (items === undefined) errors.push(fieldError.required(path.child('items'), 'must have a schema if x-kubernetes-list-type is map'))
  else if (item === undefined) {
    const detail = 'must only have a single schema if x-kubernetes-list-type is map'
    errors.push(fieldError.invalid(path.child('items'), printItems(items), detail))
  } else if (item.type !== 'object') {
    const detail = "must be object if parent array's x-kubernetes-list-type is map"
    errors.push(fieldError.invalid(path.child('items', 'type'), item.type ?? '', detail))
  } else errors.push(...validateMapKeys(keys, item, path))
  return errors
}

function validateMapKeys(keys: readonly string[], item: Schema, path: FieldPath): FieldErrorList {
  const errors: FieldErrorList = []
  const visited = new Set<string>()
  for (const key of keys) {
    const property = item.properties !== undefined && Object.hasOwn(item.properties, key) ? item.properties[key] : undefined
    if (property === undefined) {
      errors.push(fieldError.invalid(path.child(mapKeys), keys, 'entries must all be names of item properties'))
    } else if (property.type === 'array' || property.type === 'object') {
      const detail = "must be a scalar type if parent array's x-kubernetes-list-type is map"
      // As in kube-apiserver, the error shows the type of the item.
      errors.push(fieldError.invalid(path.child('items', 'properties').key(key).child('type'), item.type, detail))
    }
    if (visited.has(key)) errors.push(fieldError.invalid(path.child(mapKeys), keys, 'must not contain duplicate entries'))
    visited.add(key)
  }
  return errors
}

/** Checks that items of maps and sets are not nullable, and that keys of maps always have a value. */
export function validateKeyPresence(schema: Schema, path: FieldPath): FieldErrorList {
  const list = schema[listType]
  const item = getSingleSchema(schema.items)
  if (item === undefined || (list !== 'set' && list !== 'map')) return []
  const errors: FieldErrorList = []
  if (item.nullable === true) {
    errors.push(fieldError.forbidden(path.child('items', 'nullable'), `cannot be nullable when x-kubernetes-list-type is ${list}`))
  }
  if (list === 'set') return errors
  const required = new Set(item.required)
  const { properties = {} } = item
  for (const key of schema[mapKeys] ?? []) {
    if (!Object.hasOwn(properties, key)) continue
    const property = properties[key]!
    const at = path.child('items', 'properties').key(key)
    if (!required.has(key) && property.default === undefined) {
      const detail = 'this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property'
      errors.push(fieldError.required(at.child('default'), detail))
    }
    if (property.nullable === true) {
      const detail = 'this property is in x-kubernetes-list-map-keys, so it cannot be nullable'
      errors.push(fieldError.forbidden(at.child('nullable'), detail))
    }
  }
  return errors
}
