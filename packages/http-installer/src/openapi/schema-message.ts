import { ProtoWriter } from '@keelson/api'
import { formatJson } from './json-pieces.ts'

/** Members of a schema of OpenAPI v2 that have fields of their own in the message. */
interface Schema {
  readonly $ref?: string
  readonly type?: string
  readonly externalDocs?: { readonly description?: string; readonly url?: string }
  readonly example?: unknown
  readonly enum?: readonly unknown[]
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: Schema | boolean
  readonly [member: string]: unknown
}

/** Number of schemas that are encoded between two pauses. */
const schemasPerPause = 64

/** Encodes schemas of OpenAPI v2 as the message `openapi.v2.Schema` of the library gnostic. */
export class SchemaEncoder {
  readonly #writer = new ProtoWriter()
  #count = 0

  /** Encodes a small schema. */
  encode(schema: object): Uint8Array {
    const steps = this.encodeInSteps(schema)
    for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value
  }

  /** Encodes a schema. Yields where other work may run, because the schema of a custom resource may be very large. */
  *encodeInSteps(schema: object): Generator<undefined, Uint8Array> {
    yield* this.#write(schema as Schema)
    return this.#writer.take()
  }

  /** Writes the fields of a schema from the last to the first, as `ProtoWriter` requires. */
  *#write(schema: Schema): Generator<undefined, void> {
    if (++this.#count % schemasPerPause === 0) yield
    const writer = this.#writer
    this.#writeExtensions(schema)
    if (schema.example !== undefined) this.#any(schema.example, 242)
    if (schema.externalDocs !== undefined) {
      const mark = writer.mark()
      writer.strPtr(schema.externalDocs.url, 18)
      writer.strPtr(schema.externalDocs.description, 10)
      writer.close(mark, 234)
    }
    if (schema.properties !== undefined) yield* this.#writeProperties(schema.properties)
    if (schema.items !== undefined) yield* this.#nested(schema.items, 186)
    if (schema.type !== undefined) {
      const mark = writer.mark()
      writer.str(schema.type, 10)
      writer.close(mark, 178)
    }
    const { additionalProperties } = schema
    if (typeof additionalProperties === 'object') yield* this.#nested(additionalProperties, 170)
    else if (additionalProperties !== undefined) {
      const mark = writer.mark()
      writer.bool(additionalProperties, 16)
      writer.close(mark, 170)
    }
    for (const value of (schema.enum ?? []).toReversed()) this.#any(value, 162)
    writer.strs(schema.required, 154)
    // Like every protobuf encoder, omits zero values.
    for (const { member, tag, write } of scalars) if (schema[member]) write(writer, schema[member], tag)
  }

  #writeExtensions(schema: Schema): void {
    for (const name of Object.keys(schema).toReversed()) {
      if (!name.startsWith('x-')) continue
      const mark = this.#writer.mark()
      this.#any(schema[name], 18)
      this.#writer.str(name, 10)
      this.#writer.close(mark, 250)
    }
  }

  *#writeProperties(properties: Readonly<Record<string, Schema>>): Generator<undefined, void> {
    const writer = this.#writer
    const mark = writer.mark()
    for (const [name, property] of Object.entries(properties).toReversed()) {
      const entry = writer.mark()
      const value = writer.mark()
      yield* this.#write(property)
      writer.close(value, 18)
      writer.str(name, 10)
      writer.close(entry, 10)
    }
    writer.close(mark, 202)
  }

  /** Writes a schema that is an alternative of a field. */
  *#nested(schema: Schema, tag: number): Generator<undefined, void> {
    const outer = this.#writer.mark()
    const inner = this.#writer.mark()
    yield* this.#write(schema)
    this.#writer.close(inner, 10)
    this.#writer.close(outer, tag)
  }

  /** Writes a value as `Any` with its YAML text. JSON is valid YAML. */
  #any(value: unknown, tag: number): void {
    const mark = this.#writer.mark()
    this.#writer.str(`${formatJson(value)}\n`, 18)
    this.#writer.close(mark, tag)
  }
}

type WriteScalar = (writer: ProtoWriter, value: unknown, tag: number) => void

const writeText: WriteScalar = (writer, value, tag) => writer.str(value as string, tag)
const writeFlag: WriteScalar = (writer, value, tag) => writer.bool(value as boolean, tag)
const writeInteger: WriteScalar = (writer, value, tag) => writer.int(value as number, tag)
const writeDouble: WriteScalar = (writer, value, tag) => writer.double(value as number, tag)

/** The scalar fields below `required`, from the last to the first. */
const scalars: readonly { readonly member: string; readonly tag: number; readonly write: WriteScalar }[] = [
  { member: 'minProperties', tag: 144, write: writeInteger },
  { member: 'maxProperties', tag: 136, write: writeInteger },
  { member: 'uniqueItems', tag: 128, write: writeFlag },
  { member: 'minItems', tag: 120, write: writeInteger },
  { member: 'maxItems', tag: 112, write: writeInteger },
  { member: 'pattern', tag: 106, write: writeText },
  { member: 'minLength', tag: 96, write: writeInteger },
  { member: 'maxLength', tag: 88, write: writeInteger },
  { member: 'exclusiveMinimum', tag: 80, write: writeFlag },
  { member: 'minimum', tag: 73, write: writeDouble },
  { member: 'exclusiveMaximum', tag: 64, write: writeFlag },
  { member: 'maximum', tag: 57, write: writeDouble },
  { member: 'multipleOf', tag: 49, write: writeDouble },
  { member: 'description', tag: 34, write: writeText },
  { member: 'title', tag: 26, write: writeText },
  { member: 'format', tag: 18, write: writeText },
  { member: '$ref', tag: 10, write: writeText },
]
