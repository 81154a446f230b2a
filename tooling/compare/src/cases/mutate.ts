import type { JsonObject, JsonValue, StructSchema } from '@keelson/apimachinery'
import { oddAnything, oddNumbers, oddStrings } from './odd-values.ts'
import { randomValue } from './random-value.ts'
import type { Random } from './random.ts'
import { fieldOf, isObject, sitesOf } from './sites.ts'
import type { Site } from './sites.ts'
import { wordsFor } from './vocabulary.ts'

/** The same object with a few things changed: what is absent added, the rest removed, doubled, replaced, or of another type. */
export function mutated(random: Random, object: JsonObject, schema: StructSchema): JsonObject {
  const copy = structuredClone(object)
  for (let left = random.pick([1, 1, 1, 2, 2, 3]); left > 0; left--) mutate(random, copy, schema)
  return copy
}

function mutate(random: Random, object: JsonObject, schema: StructSchema): void {
  const sites = sitesOf(object, schema).filter((site) => isOpen(random, site))
  if (sites.length === 0) return
  const how = random.weighted({ add: 45, change: 40, remove: 12, unknown: 3 })
  if (how === 'add' && addAbsent(random, object, schema, sites)) return
  const site = random.pick(sites)
  if (how === 'remove') site.remove()
  else if (how === 'unknown' && isObject(site.value)) site.value[random.pick(['bogus', 'Name', 'metadata'])] = random.pick(oddAnything)
  else change(random, site)
}

/** Kind and version stay, or nothing else would be looked at; metadata is the same everywhere, so it is changed less often. */
function isOpen(random: Random, { path: [first, second] }: Site): boolean {
  if (first === 'kind' || first === 'apiVersion' || (first === 'metadata' && second === undefined)) return false
  if (first !== 'metadata') return true
  return random.chance(second === 'name' || second === 'namespace' ? 0.1 : 0.3)
}

function addAbsent(random: Random, object: JsonObject, schema: StructSchema, sites: readonly Site[]): boolean {
  const holders = sites.flatMap(({ value, type }) => (isObject(value) && type?.kind === 'struct' ? [{ value, type }] : []))
  const { value, type } = random.pick([...holders, { value: object, type: schema }])
  const absent = type.fields.filter(({ name }) => !(name in value))
  if (absent.length === 0) return false
  const field = random.pick(absent)
  value[field.name] = randomValue(random, field.type, field.name)
  return true
}

function change(random: Random, site: Site): void {
  const { value, type } = site
  if (Array.isArray(value)) return changeList(random, site, value)
  if (random.chance(0.1)) return site.replace(random.pick(oddAnything))
  if (isObject(value)) return site.replace(random.chance(0.3) || type === undefined ? {} : randomValue(random, type, fieldOf(site)))
  if (typeof value === 'boolean') return site.replace(!value)
  if (typeof value === 'number') return site.replace(random.pick(oddNumbers))
  const words = wordsFor(fieldOf(site))
  site.replace(words.length > 0 && random.chance(0.5) ? random.pick(words) : random.pick(oddStrings))
}

function changeList(random: Random, site: Site, list: JsonValue[]): void {
  switch (random.weighted({ double: 40, empty: 15, null: 10, more: 35 })) {
    case 'double':
      if (list.length > 0) list.push(structuredClone(random.pick(list)))
      return
    case 'empty':
      return site.replace([])
    case 'null':
      return void list.push(null)
    case 'more':
      if (site.type?.kind === 'list') list.push(randomValue(random, site.type.items, fieldOf(site)))
  }
}
