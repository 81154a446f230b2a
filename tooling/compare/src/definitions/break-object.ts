import type { JsonObject, JsonValue } from '@keelson/apimachinery'
import { isObject } from '../cases/locations.ts'
import { oddAnything, oddNumbers, oddStrings } from '../cases/odd-values.ts'
import type { Random } from '../cases/random.ts'
import { parseNumber } from './generate-value.ts'

interface Place {
  readonly value: JsonValue
  readonly schema: JsonObject
  readonly replace: (value: JsonValue) => void
  readonly remove: () => void
}

/**
 * Returns a copy of an object with one to four violations of its schema: a required field is missing, or a value has the wrong type, range,
 * length, format or name, is unknown, null or a duplicate.
 */
export function breakObject(random: Random, object: JsonObject, schema: JsonObject): JsonObject {
  const copy = structuredClone(object)
  for (let remaining = random.pick([1, 2, 3, 4]); remaining > 0; remaining--) {
    const places = listPlaces(copy, schema)
    if (places.length === 0) copy['unknown'] = structuredClone(random.pick(oddAnything))
    else breakPlace(random, random.pick(places))
  }
  return copy
}

function breakPlace(random: Random, place: Place): void {
  const { value, schema } = place
  switch (random.weighted({ type: 25, remove: 20, limit: 30, unknown: 15, null: 10 })) {
    case 'type':
      return place.replace(structuredClone(random.pick(oddAnything)))
    case 'remove':
      return place.remove()
    case 'null':
      return place.replace(null)
    case 'unknown':
      if (isObject(value)) value[random.pick(['unknown', 'Spec', 'a.b', ''])] = structuredClone(random.pick(oddAnything))
      else place.replace(random.pick<JsonValue>([{ unknown: 1 }, 'unknown']))
      return
    case 'limit':
      exceedLimit(random, place, schema)
  }
}

function exceedLimit(random: Random, { value, replace }: Place, schema: JsonObject): void {
  const [least, most] = [parseNumber(schema['minimum']), parseNumber(schema['maximum'])]
  if (Array.isArray(value)) {
    const item = value.length > 0 ? random.pick(value) : null
    const length = random.chance(0.3) ? Math.min((parseNumber(schema['maxItems']) ?? 8) + 1, 200) : value.length + 1
    while (value.length < length) value.push(structuredClone(item))
  } else if (isObject(value)) {
    for (let index = (parseNumber(schema['maxProperties']) ?? 0) + 1; index > 0 && index < 200; index--) value[`key-${index}`] = 'x'
  } else if (typeof value === 'number')
    replace(random.pick([...(least === undefined ? [] : [least - 1]), ...(most === undefined ? [] : [most + 1]), ...oddNumbers]))
  else if (typeof value === 'string') {
    const longest = parseNumber(schema['maxLength'])
    const tooLong = longest === undefined || longest > 5000 ? [] : ['x'.repeat(longest + 1)]
    replace(random.pick([...tooLong, ...tooLong, ...tooLong, ...oddStrings]))
  } else replace(structuredClone(random.pick(oddAnything)))
}

/** Lists the values of an object that a schema describes. `apiVersion`, `kind` and `metadata` of the object itself are left out. */
function listPlaces(root: JsonObject, schema: JsonObject): Place[] {
  const places: Place[] = []
  const visit = (value: JsonValue, schema: JsonObject, depth: number): void => {
    if (Array.isArray(value)) {
      const items = isObject(schema['items']) ? schema['items'] : {}
      for (const [index, item] of value.entries()) {
        places.push({
          value: item,
          schema: items,
          replace: (other) => void (value[index] = other),
          remove: () => void value.splice(index, 1),
        })
        visit(item, items, depth + 1)
      }
      return
    }
    if (!isObject(value)) return
    for (const [name, member] of Object.entries(value)) {
      if (depth === 0 && ['apiVersion', 'kind', 'metadata'].includes(name)) continue
      const inner = findMemberSchema(schema, name)
      places.push({
        value: member,
        schema: inner,
        replace: (other) => void (value[name] = other),
        remove: () => void delete value[name],
      })
      visit(member, inner, depth + 1)
    }
  }
  visit(root, schema, 0)
  return places
}

function findMemberSchema(schema: JsonObject, name: string): JsonObject {
  const properties = schema['properties']
  const property = isObject(properties) ? properties[name] : undefined
  const values = schema['additionalProperties']
  return isObject(property) ? property : isObject(values) ? values : {}
}
