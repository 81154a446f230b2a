import type { JsonObject, JsonValue } from '@keelson/apimachinery'
import { isObject } from '../cases/locations.ts'
import { oddKeys, oddStrings } from '../cases/odd-values.ts'
import type { Random } from '../cases/random.ts'
import { generateString } from './string-for-pattern.ts'

/** Valid values by the `format` of a string. */
const formats: Readonly<Record<string, readonly string[]>> = {
  'date-time': ['2020-01-01T00:00:00Z', '2030-06-01T10:00:00.5+02:00'],
  date: ['2020-02-29', '2021-12-31'],
  duration: ['5s', '1h30m', '3 days', '500ms'],
  byte: ['YQ==', 'aGVsbG8=', ''],
  ipv4: ['10.0.0.1', '192.168.255.255'],
  ipv6: ['2001:db8::1', '::1'],
  ip: ['10.0.0.1', '2001:db8::1'],
  cidr: ['10.0.0.0/8', '2001:db8::/32'],
  mac: ['00:00:5e:00:53:01'],
  uuid: ['8d8e8f90-0000-4000-8000-000000000001'],
  uri: ['https://example.com/a?b=c', 'http://example.com'],
  email: ['a@example.com'],
  hostname: ['example.com', 'a'],
  'k8s-short-name': ['a', 'my-name'],
  'k8s-long-name': ['a.example.com', 'my-name'],
}

const plainStrings: readonly string[] = [
  'a',
  'b',
  'abc',
  'my-name',
  'example.com',
  '10s',
  '1Gi',
  '100m',
  'v1',
  'default',
  'https://example.com',
  '1.2.3',
  'Aa0',
]

/** Generates values that a schema allows. Rules and `not` are ignored. The same random generator gives the same values. */
export class ValueGenerator {
  readonly #random: Random
  /** Number of values that may still be generated. Afterwards only required values are generated. */
  #remaining: number

  constructor(random: Random, budget = 120) {
    this.#random = random
    this.#remaining = budget
  }

  value(schema: JsonObject, field: string, depth = 1): JsonValue {
    this.#remaining--
    const random = this.#random
    const allowed = schema['enum']
    if (Array.isArray(allowed) && allowed.length > 0) return structuredClone(random.pick(allowed))
    if (schema['nullable'] === true && random.chance(0.1)) return null
    if (schema['x-kubernetes-int-or-string'] === true)
      return random.pick<JsonValue>([1, 80, '80', '50%', '100m', 'a', '1Gi', this.#string(schema)])
    switch (schema['type']) {
      case 'object':
        return this.#object(schema, depth)
      case 'array':
        return this.#array(schema, field, depth)
      case 'string':
        return this.#string(schema)
      case 'integer':
        return Math.floor(this.#number(schema))
      case 'number':
        return random.chance(0.5) ? this.#number(schema) : this.#number(schema) + 0.5
      case 'boolean':
        return random.chance(0.5)
      default:
        return random.pick<JsonValue>([{}, { a: 1 }, 'x', 1, [1, 'a'], true])
    }
  }

  #object(schema: JsonObject, depth: number): JsonObject {
    const random = this.#random
    const result: JsonObject = {}
    const properties = isObject(schema['properties']) ? schema['properties'] : {}
    const required = new Set(listRequiredNames(schema, random))
    const names = Object.keys(properties)
    const optionalChance = this.#remaining <= 0 || depth > 8 ? 0 : Math.min(0.6, (depth <= 3 ? 4 : 2) / Math.max(1, names.length))
    for (const name of names) {
      const property = properties[name]
      if (!isObject(property) || (depth === 1 && ['apiVersion', 'kind', 'metadata'].includes(name))) continue
      // An object with a default for a required member is often left out in practice.
      if (required.has(name) || random.chance(optionalChance)) result[name] = this.value(property, name, depth + 1)
    }
    const values = schema['additionalProperties']
    const least = parseNumber(schema['minProperties']) ?? 0
    if (isObject(values) || values === true)
      for (const key of mapKeys.slice(0, Math.max(least, this.#remaining <= 0 ? 0 : random.pick([0, 1, 1, 2]))))
        result[random.chance(0.8) ? key : random.pick(oddKeys)] = this.value(isObject(values) ? values : {}, key, depth + 1)
    if (schema['x-kubernetes-preserve-unknown-fields'] === true && random.chance(0.4)) result['anything'] = { a: [1, { b: 'c' }] }
    if (schema['x-kubernetes-embedded-resource'] === true)
      Object.assign(result, { apiVersion: 'v1', kind: 'ConfigMap' }, random.chance(0.6) && { metadata: { name: 'a', labels: { a: 'b' } } })
    return result
  }

  #array(schema: JsonObject, field: string, depth: number): JsonValue[] {
    const items = isObject(schema['items']) ? schema['items'] : {}
    const least = parseNumber(schema['minItems']) ?? 0
    const maximum = parseNumber(schema['maxItems']) ?? 5
    const size = this.#remaining <= 0 ? least : Math.min(maximum, Math.max(least, this.#random.pick([0, 1, 1, 1, 2, 3])))
    const list = Array.from({ length: size }, () => this.value(items, field, depth + 1))
    if (schema['x-kubernetes-list-type'] === 'set') return [...new Map(list.map((item) => [JSON.stringify(item), item])).values()]
    const keys = schema['x-kubernetes-list-map-keys']
    if (!Array.isArray(keys)) return list
    const formatKey = (item: JsonValue): string =>
      JSON.stringify(keys.map((key) => (isObject(item) && typeof key === 'string' ? item[key] : undefined) ?? null))
    return [...new Map(list.map((item) => [formatKey(item), item])).values()]
  }

  #string(schema: JsonObject): string {
    const random = this.#random
    const least = parseNumber(schema['minLength']) ?? 0
    const maximum = Math.min(parseNumber(schema['maxLength']) ?? 1000, 1000)
    const fits = (text: string): boolean => text.length >= least && text.length <= maximum
    const format = typeof schema['format'] === 'string' ? formats[schema['format']] : undefined
    if (format !== undefined) return random.pick(format)
    const pattern = schema['pattern']
    if (typeof pattern === 'string') return generateString(pattern, { random, fits }) ?? random.pick(plainStrings)
    const candidates = (random.chance(0.08) ? oddStrings : plainStrings).filter(fits)
    return candidates.length > 0 ? random.pick(candidates) : 'a'.repeat(Math.max(1, Math.min(least, maximum)))
  }

  #number(schema: JsonObject): number {
    const random = this.#random
    const least = parseNumber(schema['minimum']) ?? -1
    const maximum = parseNumber(schema['maximum']) ?? Math.max(1000, least)
    const step = parseNumber(schema['multipleOf']) ?? 1
    const candidates = [least, maximum, least + 1, Math.floor((least + maximum) / 2), 1, 80, 5].filter(
      (value) => value >= least && value <= maximum,
    )
    const open = candidates.filter(
      (value) => !(schema['exclusiveMinimum'] === true && value === least) && !(schema['exclusiveMaximum'] === true && value === maximum),
    )
    return Math.round(random.pick(open.length > 0 ? open : [least]) / step) * step
  }
}

const mapKeys: readonly string[] = ['a', 'app', 'example.com/x', 'b', 'c', 'd', 'e', 'f']

/** Returns the required members of an object schema. Adds those of one branch of `oneOf` and `anyOf`, so that many objects are valid. */
function listRequiredNames(schema: JsonObject, random: Random): string[] {
  const requiredNames = Array.isArray(schema['required']) ? schema['required'].map(String) : []
  const branches = ['oneOf', 'anyOf'].flatMap((key) => {
    const subschemas = schema[key]
    const branch = Array.isArray(subschemas) && subschemas.length > 0 ? random.pick(subschemas) : undefined
    return isObject(branch) && Array.isArray(branch['required']) ? branch['required'].map(String) : []
  })
  return [...requiredNames, ...branches]
}

export function parseNumber(value: JsonValue | undefined): number | undefined {
  return typeof value === 'number' ? value : typeof value === 'bigint' ? Number(value) : undefined
}
