import type { JsonObject, JsonValue, StructSchema } from '@keelson/apimachinery'
import { oddAnything, oddNumbers, oddStrings } from './odd-values.ts'
import { createRandomValue } from './random-value.ts'
import type { Random } from './random.ts'
import { getFieldName, isObject, listLocations } from './locations.ts'
import type { Location } from './locations.ts'
import { getWords } from './vocabulary.ts'

/** Returns a copy of an object with one to three random changes: fields added, removed, duplicated, replaced or given another type. */
export function mutateCopy(random: Random, object: JsonObject, schema: StructSchema): JsonObject {
  const copy = structuredClone(object)
  for (let remaining = random.pick([1, 1, 1, 2, 2, 3]); remaining > 0; remaining--) mutate(random, copy, schema)
  return copy
}

function mutate(random: Random, object: JsonObject, schema: StructSchema): void {
  const locations = listLocations(object, schema).filter((location) => mayChange(random, location))
  if (locations.length === 0) return
  const mutation = random.weighted({ add: 45, change: 40, remove: 12, unknown: 3 })
  if (mutation === 'add' && addAbsent(random, object, schema, locations)) return
  const location = random.pick(locations)
  if (mutation === 'remove') location.remove()
  else if (mutation === 'unknown' && isObject(location.value))
    location.value[random.pick(['bogus', 'Name', 'metadata'])] = random.pick(oddAnything)
  else change(random, location)
}

/**
 * Returns whether a mutation may change a value. `kind` and `apiVersion` never change, because a server would reject the object
 * immediately. Metadata changes rarely, because it is the same for all kinds.
 */
function mayChange(random: Random, { path: [first, second] }: Location): boolean {
  if (first === 'kind' || first === 'apiVersion' || (first === 'metadata' && second === undefined)) return false
  if (first !== 'metadata') return true
  return random.chance(second === 'name' || second === 'namespace' ? 0.1 : 0.3)
}

function addAbsent(random: Random, object: JsonObject, schema: StructSchema, locations: readonly Location[]): boolean {
  const holders = locations.flatMap(({ value, type }) => (isObject(value) && type?.kind === 'struct' ? [{ value, type }] : []))
  const { value, type } = random.pick([...holders, { value: object, type: schema }])
  const absent = type.fields.filter(({ name }) => !(name in value))
  if (absent.length === 0) return false
  const field = random.pick(absent)
  value[field.name] = createRandomValue(random, field.type, field.name)
  return true
}

function change(random: Random, location: Location): void {
  const { value, type } = location
  if (Array.isArray(value)) return changeList(random, location, value)
  if (random.chance(0.1)) return location.replace(random.pick(oddAnything))
  if (isObject(value))
    return location.replace(random.chance(0.3) || type === undefined ? {} : createRandomValue(random, type, getFieldName(location)))
  if (typeof value === 'boolean') return location.replace(!value)
  if (typeof value === 'number') return location.replace(random.pick(oddNumbers))
  const words = getWords(getFieldName(location))
  location.replace(words.length > 0 && random.chance(0.5) ? random.pick(words) : random.pick(oddStrings))
}

function changeList(random: Random, location: Location, list: JsonValue[]): void {
  switch (random.weighted({ double: 40, empty: 15, null: 10, more: 35 })) {
    case 'double':
      if (list.length > 0) list.push(structuredClone(random.pick(list)))
      return
    case 'empty':
      return location.replace([])
    case 'null':
      return void list.push(null)
    case 'more':
      if (location.type?.kind === 'list') list.push(createRandomValue(random, location.type.items, getFieldName(location)))
  }
}
