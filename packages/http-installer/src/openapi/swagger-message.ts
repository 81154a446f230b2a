import { encodeLengthDelimited, encodeLengthDelimitedHead, encodeVarintField } from '../encoding/proto-frames.ts'
import { jsonText } from './json-pieces.ts'
import type { DocumentSource } from './openapi-registry.ts'
import { bearerToken, swaggerInfo, generateSwaggerParts } from './swagger-document.ts'

/**
 * Generates the OpenAPI v2 document as the protobuf message `openapi.v2.Document` of the library gnostic. Fields that this server's
 * documents never have are omitted. A map is encoded as a list of messages with name (1) and value (2).
 */
export function* generateSwaggerMessage(sources: readonly DocumentSource[]): Generator<Uint8Array> {
  const sections: Record<'paths' | 'definitions', Uint8Array[]> = { paths: [], definitions: [] }
  for (const part of generateSwaggerParts(sources)) {
    yield nothing
    if (part === '') continue
    const { section, name, value } = part
    const body = section === 'paths' ? message(value, pathItem) : yield* schemaMessage(value)
    // In the message `Paths`, extensions have field 1 and items have field 2.
    sections[section].push(encodeLengthDelimited(section === 'paths' ? 2 : 1, named(name, body)))
  }
  yield encodeLengthDelimited(1, Buffer.from('2.0'))
  yield encodeLengthDelimited(2, message(swaggerInfo, info))
  yield* lengthDelimitedPieces(8, sections.paths)
  yield* lengthDelimitedPieces(9, sections.definitions)
  yield encodeLengthDelimited(12, encodeLengthDelimited(1, named('BearerToken', nothing)))
  yield encodeLengthDelimited(13, encodeLengthDelimited(1, named('BearerToken', encodeLengthDelimited(2, message(bearerToken, apiKey)))))
}

const nothing = Buffer.alloc(0)

function lengthDelimitedPieces(field: number, pieces: readonly Uint8Array[]): Uint8Array[] {
  return [
    encodeLengthDelimitedHead(
      field,
      pieces.reduce((length, piece) => length + piece.length, 0),
    ),
    ...pieces,
  ]
}

type Encode = (field: number, value: unknown) => Uint8Array
interface Shape {
  /** Fields in the order of their numbers. */
  readonly fields: readonly (readonly [member: string, field: number, encode: Encode])[]
  /** Number of the field for members whose names start with "x-". */
  readonly extensions?: number
}

function message(value: object, { fields, extensions }: Shape): Buffer {
  const members = value as Readonly<Record<string, unknown>>
  const parts: Uint8Array[] = []
  for (const [member, field, encode] of fields) if (members[member] !== undefined) parts.push(encode(field, members[member]))
  if (extensions !== undefined) {
    for (const name of Object.keys(members)) {
      if (name.startsWith('x-')) parts.push(encodeLengthDelimited(extensions, named(name, any(members[name]))))
    }
  }
  return Buffer.concat(parts)
}

function named(name: string, value: Uint8Array): Buffer {
  return Buffer.concat([encodeLengthDelimited(1, Buffer.from(name)), encodeLengthDelimited(2, value)])
}

/** Encodes a value as `Any` with its YAML text. JSON is valid YAML. */
function any(value: unknown): Buffer {
  return encodeLengthDelimited(2, Buffer.from(`${jsonText(value)}\n`))
}

/** Number of schemas that are encoded between two pauses. */
const schemasPerPause = 32

/** Encodes a schema. Yields nothing where other work may run, because the schema of a custom resource may be very large. */
function schemaMessage(value: object): Generator<Uint8Array, Buffer> {
  let count = 0
  return (function* encode(value: object): Generator<Uint8Array, Buffer> {
    if (++count % schemasPerPause === 0) yield nothing
    const { items, additionalProperties, properties, ...plain } = value as SchemaMembers
    const encoded: Partial<Record<(typeof subschemas)[number], Uint8Array>> = {}
    // The value of additionalProperties is either a schema or a boolean.
    if (typeof additionalProperties === 'object')
      encoded.additionalProperties = encodeLengthDelimited(1, yield* encode(additionalProperties))
    else if (additionalProperties !== undefined) encoded.additionalProperties = encodeVarintField(2, additionalProperties ? 1 : 0)
    if (items !== undefined) encoded.items = encodeLengthDelimited(1, yield* encode(items))
    if (properties !== undefined) {
      const parts: Uint8Array[] = []
      for (const [name, property] of Object.entries(properties)) parts.push(encodeLengthDelimited(1, named(name, yield* encode(property))))
      encoded.properties = Buffer.concat(parts)
    }
    return message({ ...plain, ...encoded }, schema)
  })(value)
}

interface SchemaMembers {
  readonly items?: object
  readonly additionalProperties?: object | boolean
  readonly properties?: Readonly<Record<string, object>>
}

const subschemas = ['additionalProperties', 'items', 'properties'] as const

const string: Encode = (field, value) => encodeLengthDelimited(field, Buffer.from(value as string))
const bool: Encode = (field, value) => (value === true ? encodeVarintField(field, 1) : nothing)
const bytes: Encode = (field, value) => encodeLengthDelimited(field, value as Uint8Array)
/** Encodes an integer. Negative lengths do not limit anything, so they are encoded as zero. */
const integer: Encode = (field, value) => encodeVarintField(field, Math.max(0, Number(value)))
/** Encodes a number of a field below 16, whose tag is one byte. */
const double: Encode = (field, value) => {
  const encoded = Buffer.alloc(9)
  encoded[0] = field * 8 + 1
  encoded.writeDoubleLE(Number(value), 1)
  return encoded
}
const strings: Encode = (field, value) => Buffer.concat((value as string[]).map((text) => string(field, text)))
const one =
  (shape: () => Shape): Encode =>
  (field, value) =>
    encodeLengthDelimited(field, message(value as object, shape()))
const each =
  (encode: (value: object) => Uint8Array): Encode =>
  (field, value) =>
    Buffer.concat((value as object[]).map((element) => encodeLengthDelimited(field, encode(element))))

const info: Shape = {
  fields: [
    ['title', 1, string],
    ['version', 2, string],
  ],
}
const apiKey: Shape = {
  fields: [
    ['type', 1, string],
    ['name', 2, string],
    ['in', 3, string],
    ['description', 4, string],
  ],
}

const externalDocs: Shape = {
  fields: [
    ['description', 1, string],
    ['url', 2, string],
  ],
}

/** A schema whose subschemas are already encoded. */
const schema: Shape = {
  fields: [
    ['$ref', 1, string],
    ['format', 2, string],
    ['title', 3, string],
    ['description', 4, string],
    ['multipleOf', 6, double],
    ['maximum', 7, double],
    ['exclusiveMaximum', 8, bool],
    ['minimum', 9, double],
    ['exclusiveMinimum', 10, bool],
    ['maxLength', 11, integer],
    ['minLength', 12, integer],
    ['pattern', 13, string],
    ['maxItems', 14, integer],
    ['minItems', 15, integer],
    ['uniqueItems', 16, bool],
    ['maxProperties', 17, integer],
    ['minProperties', 18, integer],
    ['required', 19, strings],
    ['enum', 20, (field, value) => Buffer.concat((value as unknown[]).map((each) => encodeLengthDelimited(field, any(each))))],
    ['additionalProperties', 21, bytes],
    ['type', 22, (field, value) => encodeLengthDelimited(field, string(1, value))],
    ['items', 23, bytes],
    ['properties', 25, bytes],
    ['externalDocs', 29, one(() => externalDocs)],
    ['example', 30, (field, value) => encodeLengthDelimited(field, any(value))],
  ],
  extensions: 31,
}

/** Encodes a small schema without pauses. */
const wholeSchema: Encode = (field, value) => {
  const steps = schemaMessage(value as object)
  for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return encodeLengthDelimited(field, step.value)
}

const bodyParameter: Shape = {
  fields: [
    ['description', 1, string],
    ['name', 2, string],
    ['in', 3, string],
    ['required', 4, bool],
    ['schema', 5, wholeSchema],
  ],
}
const plainParameter = (type: number, uniqueItems: number): Shape => ({
  fields: [
    ['required', 1, bool],
    ['in', 2, string],
    ['description', 3, string],
    ['name', 4, string],
    ['type', type, string],
    ['uniqueItems', uniqueItems, bool],
  ],
})
const queryParameter = plainParameter(6, 20)
const pathParameter = plainParameter(5, 19)

/** Encodes a parameter. It is nested in several oneofs: parameter or reference; body or not; query or path. */
function parameter(value: object): Buffer {
  const place = (value as { readonly in: string }).in
  if (place === 'body') return encodeLengthDelimited(1, encodeLengthDelimited(1, message(value, bodyParameter)))
  const choice =
    place === 'query' ? encodeLengthDelimited(3, message(value, queryParameter)) : encodeLengthDelimited(4, message(value, pathParameter))
  return encodeLengthDelimited(1, encodeLengthDelimited(2, choice))
}

const response: Shape = {
  fields: [
    ['description', 1, string],
    ['schema', 2, (field, value) => encodeLengthDelimited(field, wholeSchema(1, value))],
  ],
}
const responses: Encode = (field, value) => {
  const codes = Object.entries(value as Record<string, object>)
  // The value is always a response and never a reference.
  return encodeLengthDelimited(
    field,
    Buffer.concat(
      codes.map(([code, answer]) => encodeLengthDelimited(1, named(code, encodeLengthDelimited(1, message(answer, response))))),
    ),
  )
}

const operation: Shape = {
  fields: [
    ['tags', 1, strings],
    ['description', 3, string],
    ['operationId', 5, string],
    ['produces', 6, strings],
    ['consumes', 7, strings],
    ['parameters', 8, each(parameter)],
    ['responses', 9, responses],
    ['schemes', 10, strings],
  ],
  extensions: 13,
}
const pathItem: Shape = {
  fields: [
    ['get', 2, one(() => operation)],
    ['put', 3, one(() => operation)],
    ['post', 4, one(() => operation)],
    ['delete', 5, one(() => operation)],
    ['options', 6, one(() => operation)],
    ['head', 7, one(() => operation)],
    ['patch', 8, one(() => operation)],
    ['parameters', 9, each(parameter)],
  ],
  extensions: 10,
}
