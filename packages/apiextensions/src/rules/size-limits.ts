import { escapeFieldName, unescapeFieldName } from '@keelson/cel'
import type { SizeHints } from '@keelson/cel'
import { measureUtf8Bytes } from '@keelson/apimachinery'
import { listSchemasInnermostFirst, isEmbeddedResource, getItemSchema, getValueSchema, withTypeAndMeta } from './schema-type.ts'
import type { Schema } from './schema-type.ts'

/** Size of the largest request that kube-apiserver accepts, in bytes. Values without a limit in the schema are limited by it. */
const maxRequestBytes = 3 * 1024 * 1024
/** Bytes of the longest duration and of the longest time in JSON. */
const maxTimeBytes = 32
const minDurationBytes = 3
const dateBytes = 12
const minDateTimeBytes = 21

/** The largest and smallest sizes that values of a schema can have. Cost estimates are based on them. */
export class SizeLimits {
  readonly #root: Schema
  readonly #minBytes = new Map<Schema, number | undefined>()

  /** `root` is the root of a resource, whose type and metadata expressions can always read. */
  constructor(root: Schema) {
    this.#root = root
  }

  /** Returns the maximum number of values of a schema that one request can contain, if nothing else limits their number. */
  maxCardinality(schema: Schema): bigint {
    return BigInt(Math.floor(maxRequestBytes / (this.#minSize(schema)! + 1)))
  }

  /** Returns the function that finds the maximum size of a value by its path from `schema`, which is the type of `self`. */
  hints(schema: Schema): SizeHints {
    return ([, ...path]) => {
      let at: Schema | undefined = schema
      for (const step of path) {
        at = this.#findChild(at, step)
        if (at === undefined) return undefined
      }
      return { min: 0n, max: BigInt(this.#computeMaxElements(at)) }
    }
  }

  #findChild(schema: Schema, step: string): Schema | undefined {
    if (schema['x-kubernetes-int-or-string'] === true || this.#minSize(schema) === undefined) return undefined
    const values = schema.type === 'object' ? getValueSchema(schema) : undefined
    switch (step) {
      case '@items':
      case '@values':
        return schema.type === 'array' ? getItemSchema(schema) : values
      case '@keys':
        return values === undefined ? undefined : keySchema
      default:
        return schema.type === 'object' && values === undefined ? this.#findField(schema, step) : undefined
    }
  }

  #findField(schema: Schema, identifier: string): Schema | undefined {
    const name = unescapeFieldName(identifier)
    const properties = this.#getProperties(schema)
    if (name === undefined || !Object.hasOwn(properties, name) || escapeFieldName(name) !== identifier) return undefined
    const property = properties[name]!
    return this.#minSize(property) === undefined ? undefined : property
  }

  #getProperties(schema: Schema): Readonly<Record<string, Schema>> {
    return schema === this.#root || isEmbeddedResource(schema) ? withTypeAndMeta(schema.properties ?? {}) : (schema.properties ?? {})
  }

  #computeMaxElements(schema: Schema): number {
    if (schema['x-kubernetes-int-or-string'] === true) return limitCharacters(schema) ?? maxRequestBytes - 2
    switch (schema.type) {
      case 'array':
        return limit(schema.maxItems) ?? Math.floor((maxRequestBytes - 2) / (this.#minSize(getItemSchema(schema)!)! + 1))
      case 'object': {
        const values = getValueSchema(schema)
        if (values === undefined) return 0
        return limit(schema.maxProperties) ?? Math.floor((maxRequestBytes - 2) / (this.#minSize(values)! + 6))
      }
      case 'string':
        return limitStringLength(schema)
      default:
        return 0
    }
  }

  /** Returns the minimum size of a value in JSON, in bytes; undefined if expressions cannot read values of this schema. */
  #minSize(schema: Schema): number | undefined {
    // The sizes of inner schemas are computed first, so that deeply nested schemas cannot overflow the stack.
    if (!this.#minBytes.has(schema)) {
      for (const inner of listSchemasInnermostFirst(schema, (each) => this.#minBytes.has(each)))
        this.#minBytes.set(inner, this.#computeMinSize(inner))
    }
    return this.#minBytes.get(schema)
  }

  #computeMinSize(schema: Schema): number | undefined {
    if (schema['x-kubernetes-int-or-string'] === true) return 1
    switch (schema.type) {
      case 'array': {
        const items = getItemSchema(schema)
        return items === undefined || this.#minSize(items) === undefined ? undefined : 2
      }
      case 'object': {
        const values = getValueSchema(schema)
        if (values !== undefined) return this.#minSize(values) === undefined ? undefined : 2
        return this.#computeMinObjectSize(schema)
      }
      case 'string':
        return computeMinStringSize(schema)
      case 'boolean':
        return 4
      case 'integer':
      case 'number':
        return 1
      default:
        return undefined
    }
  }

  #computeMinObjectSize(schema: Schema): number {
    const required = new Set(schema.required)
    let size = 2
    for (const [name, property] of Object.entries(this.#getProperties(schema))) {
      const least = required.has(name) && (property.default ?? null) === null ? this.#minSize(property) : undefined
      if (least !== undefined) size += measureUtf8Bytes(name) + least + 4
    }
    return size
  }
}

/** Stands for the keys of a map, whose size is not limited. */
const keySchema: Schema = {}

function limit(value: number | undefined): number | undefined {
  return value === undefined ? undefined : Math.max(value, 0)
}

/** Returns the maximum number of bytes of a string whose length is limited in characters. */
function limitCharacters({ maxLength }: Schema): number | undefined {
  return maxLength === undefined ? undefined : Math.max(maxLength, 0) * 4
}

function limitStringLength(schema: Schema): number {
  switch (schema.format) {
    case 'byte':
      return limit(schema.maxLength) ?? maxRequestBytes - 2
    case 'date':
      return dateBytes
    case 'date-time':
    case 'duration':
      return maxTimeBytes
    default: {
      const values = schema.enum ?? []
      const longest = values.reduce<number>(
        (longestSoFar, value) => Math.max(longestSoFar, typeof value === 'string' ? measureUtf8Bytes(value) : 0),
        0,
      )
      return limitCharacters(schema) ?? (values.length > 0 ? longest : maxRequestBytes - 2)
    }
  }
}

function computeMinStringSize({ format }: Schema): number {
  switch (format) {
    case 'date':
      return dateBytes
    case 'date-time':
      return minDateTimeBytes
    case 'duration':
      return minDurationBytes
    default:
      return 2
  }
}
