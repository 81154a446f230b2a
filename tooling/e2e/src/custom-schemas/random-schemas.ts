import type { JsonValue } from '@keelson/apimachinery'
import type { JSONSchemaProps } from '@keelson/api/apiextensions/v1'
import { formatSamples } from './format-samples.ts'
import type { SchemaQuestion } from '@keelson/apiextensions/testing'

const names = ['a', 'b', 'c', 'name', 'x.y', 'x-z', '__proto__', 'kind', 'metadata', 'status', 'é', 'list', 'A'] as const
/** Names that have no meaning in embedded resources. */
const plainNames = names.filter((name) => name !== 'kind' && name !== 'metadata')
const texts = ['', 'a', 'ab', 'abc', 'A', '😀', 'a😀b', 'x'.repeat(20), '"quoted"', '<&>', 'a\nb', '1', '12', 'true', '\u0001'] as const
const patterns = ['^a', '^[a-z]+$', 'b$', '^.{2}$', '[0-9]', '(?i)^A', '^(a|b)*$', '\\d+', '^\\p{L}+$'] as const
const integers = [0, 1, 2, 3, 5, 10, -1, -7, 65, 100, 2147483647, 2147483648, -2147483649, 4294967296, 9007199254740991] as const
const bigIntegers = [9007199254740993n, 9223372036854775807n, -9223372036854775808n] as const
const floats = [0.5, 1.5, -0.25, 2.75, 1e-7, 1e20, 123456789.5, 1e300, 3.5e38, 0.1] as const

/** Generates structural schemas and objects, about half of which are invalid. The same seed yields the same questions. */
export class RandomSchemas {
  #state: number
  /**
   * True if the current value already has wrong metadata of an embedded resource. kube-apiserver reports only one, and visits members in random order.
   */
  #hasWrongMetadata = false
  #isDefault = false

  constructor(seed: number) {
    this.#state = seed
  }

  next(): SchemaQuestion {
    const spec = this.#schema(4)
    const schema: JSONSchemaProps = { type: 'object', properties: { spec }, ...this.#some({ required: ['spec'] }, 0.3) }
    if (this.#chance(0.3)) schema.properties!['status'] = this.#schema(2)
    if (this.#chance(0.05)) schema['x-kubernetes-preserve-unknown-fields'] = true
    if (this.#chance(0.2)) schema.properties!['metadata'] = { type: 'object' }
    const wrongness = this.#pick([0, 0.02, 0.05, 0.15])
    const object = this.#resource(schema, wrongness)
    if (this.#chance(0.5)) return { schema, object }
    return { schema, object, old: this.#chance(0.5) ? (this.#change(object) as SchemaQuestion['object']) : this.#resource(schema, 0.1) }
  }

  #resource(schema: JSONSchemaProps, wrongness: number): SchemaQuestion['object'] {
    this.#hasWrongMetadata = false
    const members = this.#members(schema, wrongness)
    return { ...members, apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'x' } }
  }

  #schema(depth: number): JSONSchemaProps {
    const kinds = depth <= 0 ? scalarKinds : [...scalarKinds, ...compoundKinds, ...compoundKinds, ...compoundKinds]
    const schema = this.#createSchema(this.#pick(kinds), depth)
    if (this.#chance(0.15)) schema.nullable = true
    if (this.#chance(0.25)) this.#addAlternatives(schema, 2)
    if (this.#chance(0.1)) schema.default = this.#default(schema)
    return schema
  }

  #default(schema: JSONSchemaProps): JsonValue {
    this.#hasWrongMetadata = false
    this.#isDefault = true
    const value = this.#value(schema, this.#pick([0, 0, 0.3]))
    this.#isDefault = false
    return toPlain(value)
  }

  #createSchema(kind: Kind, depth: number): JSONSchemaProps {
    switch (kind) {
      case 'string':
        return { type: 'string', ...this.#stringRules() }
      case 'integer':
      case 'number':
        return { type: kind, ...this.#numberRules(kind) }
      case 'boolean':
        return { type: 'boolean' }
      case 'intOrString':
        return {
          'x-kubernetes-int-or-string': true,
          ...this.#some(this.#stringRules(), 0.3),
          ...this.#some(this.#numberRules('integer'), 0.3),
        }
      case 'any':
        return { 'x-kubernetes-preserve-unknown-fields': true }
      case 'object':
        return { type: 'object', ...this.#properties(depth), ...this.#some({ 'x-kubernetes-preserve-unknown-fields': true }, 0.15) }
      case 'map':
        return { type: 'object', additionalProperties: this.#chance(0.1) ? true : this.#schema(depth - 1), ...this.#sizes('Properties') }
      case 'array':
        return {
          type: 'array',
          items: this.#schema(depth - 1),
          ...this.#sizes('Items'),
          ...this.#some({ 'x-kubernetes-preserve-unknown-fields': true }, 0.05),
        }
      case 'set':
        return { type: 'array', items: this.#schema(this.#chance(0.8) ? 0 : 1), 'x-kubernetes-list-type': 'set', ...this.#sizes('Items') }
      case 'mapList':
        return this.#mapList(depth)
      case 'embedded':
        return { type: 'object', 'x-kubernetes-embedded-resource': true, ...this.#embeddedProperties(depth) }
    }
  }

  #properties(depth: number): JSONSchemaProps {
    const properties: Record<string, JSONSchemaProps> = {}
    for (let i = 0; i < 1 + this.#below(5); i++) setOwn(properties, this.#pick(names), this.#schema(depth - 1))
    const required = Object.keys(properties).filter(() => this.#chance(0.3))
    if (this.#chance(0.05)) required.push('absent')
    return { properties, ...(required.length > 0 && { required }), ...this.#sizes('Properties') }
  }

  #embeddedProperties(depth: number): JSONSchemaProps {
    const { properties, required } = this.#properties(depth) as Required<JSONSchemaProps>
    for (const name of ['metadata', 'kind', '__proto__']) delete properties[name]
    const unknownFields = this.#chance(0.5) ? { 'x-kubernetes-preserve-unknown-fields': true } : {}
    return { properties, ...(required !== undefined && { required: required.filter((name) => name in properties) }), ...unknownFields }
  }

  #mapList(depth: number): JSONSchemaProps {
    const keys = this.#chance(0.6) ? ['name'] : ['name', 'port']
    const properties: Record<string, JSONSchemaProps> = {
      name: { type: 'string' },
      port: { type: 'integer' },
      ...this.#properties(depth - 1).properties,
    }
    properties['name'] = { type: 'string', ...this.#some({ maxLength: 2 }, 0.2) }
    const items: JSONSchemaProps = { type: 'object', properties, required: keys }
    return { type: 'array', items, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': keys, ...this.#sizes('Items') }
  }

  #stringRules(): JSONSchemaProps {
    return {
      ...this.#some({ format: this.#pick(Object.keys(formatSamples)) }, 0.35),
      ...this.#some({ minLength: this.#below(4) }, 0.15),
      ...this.#some({ maxLength: this.#below(6) }, 0.15),
      ...this.#some({ pattern: this.#pick(patterns) }, 0.2),
      ...this.#some({ enum: [this.#pick(texts), this.#pick(texts), 'a'] }, 0.15),
    }
  }

  #numberRules(type: 'integer' | 'number'): JSONSchemaProps {
    const limit = (): number => (this.#chance(0.2) ? this.#pick(floats) : this.#pick(integers))
    return {
      ...this.#some({ format: this.#pick(['int32', 'int64', 'float', 'double', 'date', 'unknown']) }, 0.3),
      ...this.#some({ minimum: limit() }, 0.25),
      ...this.#some({ maximum: limit() }, 0.25),
      ...this.#some({ exclusiveMinimum: true }, 0.1),
      ...this.#some({ exclusiveMaximum: true }, 0.1),
      ...this.#some({ multipleOf: this.#pick(type === 'integer' ? [1, 2, 3, 5, 0.5] : [0.1, 0.25, 1, 2, 3]) }, 0.15),
      ...this.#some({ enum: type === 'integer' ? [1, 2, 5, 65] : [1, 1.5, 2, 1e20] }, 0.1),
    }
  }

  #sizes(unit: 'Items' | 'Properties'): JSONSchemaProps {
    return { ...this.#some({ [`min${unit}`]: this.#below(4) }, 0.15), ...this.#some({ [`max${unit}`]: this.#below(5) }, 0.15) }
  }

  /** Adds `anyOf`, `oneOf`, `allOf` or `not`. They may only constrain fields that the schema specifies. */
  #addAlternatives(schema: JSONSchemaProps, depth: number): void {
    const list = (): JSONSchemaProps[] => Array.from({ length: 1 + this.#below(3) }, () => this.#alternative(schema, depth))
    const kind = this.#pick(['allOf', 'anyOf', 'oneOf', 'not'] as const)
    if (kind === 'not') schema.not = this.#alternative(schema, depth)
    else schema[kind] = list()
  }

  #alternative(schema: JSONSchemaProps, depth: number): JSONSchemaProps {
    const { type, properties, items } = schema
    let part: JSONSchemaProps = {}
    if (type === 'string') part = this.#stringRules()
    else if (type === 'integer' || type === 'number') part = this.#numberRules(type)
    else if (type === 'array') {
      part = this.#sizes('Items')
      if (this.#chance(0.7)) part.items = this.#alternative(items as JSONSchemaProps, depth)
    } else if (type === 'object') {
      part = this.#sizes('Properties')
      const requiredNames = Object.keys(properties ?? {}).filter((name) => name !== 'metadata' && this.#chance(0.5))
      if (requiredNames.length > 0)
        part.properties = Object.fromEntries(requiredNames.map((name) => [name, this.#alternative(properties![name]!, depth)]))
      const required = Object.keys(properties ?? {}).filter(() => this.#chance(0.3))
      if (required.length > 0) part.required = required
    }
    if (depth > 0 && this.#chance(0.2)) this.#addNested(part, schema, depth - 1)
    return part
  }

  #addNested(part: JSONSchemaProps, schema: JSONSchemaProps, depth: number): void {
    const kind = this.#pick(['allOf', 'anyOf', 'oneOf'] as const)
    part[kind] = Array.from({ length: 1 + this.#below(2) }, () => this.#alternative(schema, depth))
  }

  /** Generates a value of a schema. Each part of it is wrong with a probability. */
  #value(schema: JSONSchemaProps, wrongness: number): JsonValue {
    if (this.#chance(wrongness)) return this.#anything(2)
    if (schema.nullable === true && this.#chance(0.1)) return null
    if (schema.default !== undefined && this.#chance(0.1)) return null
    if (schema.enum !== undefined && !this.#chance(wrongness)) return this.#pick(schema.enum)
    if (schema['x-kubernetes-int-or-string'] === true)
      return this.#chance(0.5) ? this.#integer(schema, wrongness) : this.#text(schema, wrongness)
    switch (schema.type) {
      case 'string':
        return this.#text(schema, wrongness)
      case 'integer':
        return this.#integer(schema, wrongness)
      case 'number':
        return this.#chance(0.5) ? this.#integer(schema, wrongness) : this.#pick(floats)
      case 'boolean':
        return this.#chance(0.5)
      case 'array':
        return Array.from({ length: this.#size(schema.minItems, schema.maxItems) }, () =>
          this.#value(schema.items as JSONSchemaProps, wrongness),
        )
      case 'object':
        return schema['x-kubernetes-embedded-resource'] === true ? this.#embedded(schema, wrongness) : this.#members(schema, wrongness)
      default:
        return this.#anything(2)
    }
  }

  #members(schema: JSONSchemaProps, wrongness: number): { [key: string]: JsonValue } {
    const members: { [key: string]: JsonValue } = {}
    const { properties = {}, required = [], additionalProperties } = schema
    for (const name of Object.keys(properties)) {
      if ((required.includes(name) && !this.#chance(wrongness)) || this.#chance(0.7))
        setOwn(members, name, this.#value(properties[name]!, wrongness))
    }
    if (additionalProperties !== undefined) {
      for (let i = this.#size(schema.minProperties, schema.maxProperties); i > 0; i--) {
        const value = typeof additionalProperties === 'object' ? this.#value(additionalProperties, wrongness) : this.#anything(1)
        setOwn(members, this.#pick(names), value)
      }
    }
    if (this.#chance(wrongness * 2)) setOwn(members, this.#pick(names), this.#anything(2))
    return members
  }

  #embedded(schema: JSONSchemaProps, wrongness: number): { [key: string]: JsonValue } {
    const members = this.#members(schema, wrongness)
    for (const name of ['apiVersion', 'kind', 'metadata'] as const) {
      delete members[name]
      const isWrong = !this.#hasWrongMetadata && this.#chance(wrongness * 2)
      if (isWrong) this.#hasWrongMetadata = true
      if (this.#chance(0.9)) members[name] = this.#pick(isWrong ? wrongMetadata[name] : rightMetadata[name])
      // An error prints a default whose metadata is partly converted, depending on the random order.
      if (this.#isDefault && name === 'metadata' && !isWrong) members[name] = { name: 'x' }
    }
    return members
  }

  #text({ format, minLength, maxLength }: JSONSchemaProps, wrongness: number): string {
    const samples = format === undefined ? undefined : formatSamples[format]
    if (samples !== undefined) return this.#pick(this.#chance(Math.max(wrongness, 0.1)) ? samples.wrong : samples.right)
    if (minLength === undefined && maxLength === undefined) return this.#pick(texts)
    return this.#chance(wrongness) ? this.#pick(texts) : 'a'.repeat(this.#size(minLength, maxLength))
  }

  #integer({ minimum, maximum, multipleOf = 1 }: JSONSchemaProps, wrongness: number): JsonValue {
    if (this.#chance(wrongness / 2)) return this.#pick(bigIntegers) as unknown as number
    if (this.#chance(Math.max(wrongness, 0.2)) || (minimum === undefined && maximum === undefined)) return this.#pick(integers)
    const value = minimum === undefined ? Math.floor(maximum!) - this.#below(3) : Math.ceil(minimum) + this.#below(3)
    return Math.trunc(Math.floor(value / multipleOf) * multipleOf)
  }

  #size(minimum = 0, maximum = minimum + 3): number {
    return minimum + this.#below(Math.max(1, maximum - minimum + 1))
  }

  #anything(depth: number): JsonValue {
    const kind = this.#below(depth <= 0 ? 6 : 8)
    if (kind === 0) return null
    if (kind === 1) return this.#chance(0.5)
    if (kind === 2) return this.#pick(texts)
    if (kind === 3) return this.#pick(floats)
    if (kind < 6) return this.#pick(integers)
    if (kind === 6) return Array.from({ length: this.#below(3) }, () => this.#anything(depth - 1))
    const members: { [key: string]: JsonValue } = {}
    for (let i = this.#below(3); i > 0; i--) setOwn(members, this.#pick(plainNames), this.#anything(depth - 1))
    return members
  }

  /** Copies a value and changes parts of it. */
  #change(value: JsonValue): JsonValue {
    if (this.#chance(0.06)) return this.#anything(1)
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) {
      const items = value.map((item) => this.#change(item))
      if (this.#chance(0.2)) items.reverse()
      return this.#chance(0.2) ? items.slice(1) : items
    }
    const members: { [key: string]: JsonValue } = {}
    for (const key of Object.keys(value)) {
      const isFixed = ['apiVersion', 'kind', 'metadata', 'spec'].includes(key)
      if (isFixed && typeof value[key] !== 'object') setOwn(members, key, value[key])
      else if (!this.#chance(0.05)) setOwn(members, key, key === 'metadata' ? value[key] : this.#change(value[key]!))
    }
    return members
  }

  #some<T extends object>(part: T, probability: number): Partial<T> {
    return this.#chance(probability) ? part : {}
  }

  #pick<T>(items: readonly T[]): T {
    return items[this.#below(items.length)]!
  }

  #chance(probability: number): boolean {
    return this.#random() < probability
  }

  #below(limit: number): number {
    return Math.floor(this.#random() * limit)
  }

  /** Returns a number in [0, 1) (mulberry32). */
  #random(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

const scalarKinds = ['string', 'string', 'integer', 'number', 'boolean', 'intOrString', 'any'] as const
const compoundKinds = ['object', 'object', 'map', 'array', 'set', 'mapList', 'embedded'] as const
type Kind = (typeof scalarKinds)[number] | (typeof compoundKinds)[number]

const rightMetadata: Readonly<Record<'apiVersion' | 'kind' | 'metadata', readonly JsonValue[]>> = {
  apiVersion: ['v1', 'apps/v1'],
  kind: ['Pod', 'Deployment'],
  metadata: [
    { name: 'x' },
    {},
    { name: 'x', namespace: 'ns', labels: { a: 'b' }, creationTimestamp: null },
    { annotations: { 'a/b': 'c' }, creationTimestamp: '2020-01-01T00:00:00Z' },
  ],
}
const wrongMetadata: typeof rightMetadata = {
  apiVersion: ['', 'a/b/c', 1, null],
  kind: ['', 'a b', 'x.y', 1, null],
  metadata: [
    null,
    'x',
    1,
    { name: 'a/b' },
    { name: 1 },
    { labels: { '/': '/' } },
    { labels: 'x' },
    { extra: 1 },
    { generation: -1 },
    { namespace: 'A' },
    { ownerReferences: [{ extra: 1 }] },
    { creationTimestamp: 'x' },
  ],
}

/** Replaces integers beyond the range of doubles, which schemas written by JSON.stringify cannot contain. */
function toPlain(value: JsonValue): JsonValue {
  return JSON.parse(JSON.stringify(value, (_, member: unknown) => (typeof member === 'bigint' ? 7 : member))) as JsonValue
}

function setOwn<T>(members: { [key: string]: T }, key: string, value: T): void {
  Object.defineProperty(members, key, { value, enumerable: true, configurable: true, writable: true })
}
