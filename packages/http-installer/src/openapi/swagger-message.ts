import { encodeLengthDelimited, encodeLengthDelimitedHead, encodeVarintField } from '../encoding/proto-frames.ts'
import { formatJson } from './json-pieces.ts'
import { SchemaEncoder } from './schema-message.ts'
import { bearerToken, swaggerInfo, generateSwaggerParts } from './swagger-document.ts'
import type { SwaggerSources } from './swagger-document.ts'

/**
 * Generates the OpenAPI v2 document as the protobuf message `openapi.v2.Document` of the library gnostic. Fields that this server's
 * documents never have are omitted. A map is encoded as a list of messages with name (1) and value (2).
 */
export function* generateSwaggerMessage(sources: SwaggerSources): Generator<Uint8Array> {
  const definitions = new SchemaEncoder()
  const sections: Record<'paths' | 'definitions', Uint8Array[]> = { paths: [], definitions: [] }
  for (const part of generateSwaggerParts(sources)) {
    yield noBytes
    if (part === '') continue
    const { section, name, value } = part
    const body = section === 'paths' ? encodeShape(value, pathItem) : yield* encodeDefinition(definitions, value)
    // In the message `Paths`, extensions have field 1 and items have field 2.
    sections[section].push(encodeLengthDelimited(section === 'paths' ? 2 : 1, encodeNamed(name, body)))
  }
  yield encodeLengthDelimited(1, Buffer.from('2.0'))
  yield encodeLengthDelimited(2, encodeShape(swaggerInfo, infoShape))
  yield* encodeLengthDelimitedPieces(8, sections.paths)
  yield* encodeLengthDelimitedPieces(9, sections.definitions)
  yield encodeLengthDelimited(12, encodeLengthDelimited(1, encodeNamed('BearerToken', noBytes)))
  yield encodeLengthDelimited(
    13,
    encodeLengthDelimited(1, encodeNamed('BearerToken', encodeLengthDelimited(2, encodeShape(bearerToken, apiKey)))),
  )
}

const noBytes = Buffer.alloc(0)

function* encodeDefinition(encoder: SchemaEncoder, value: object): Generator<Uint8Array, Uint8Array> {
  const steps = encoder.encodeInSteps(value)
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) return step.value
    yield noBytes
  }
}

function encodeLengthDelimitedPieces(field: number, pieces: readonly Uint8Array[]): Uint8Array[] {
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

function encodeShape(value: object, { fields, extensions }: Shape): Buffer {
  const members = value as Readonly<Record<string, unknown>>
  const encodedFields: Uint8Array[] = []
  for (const [member, field, encode] of fields) if (members[member] !== undefined) encodedFields.push(encode(field, members[member]))
  if (extensions !== undefined) {
    for (const name of Object.keys(members)) {
      if (name.startsWith('x-')) encodedFields.push(encodeLengthDelimited(extensions, encodeNamed(name, encodeAny(members[name]))))
    }
  }
  return Buffer.concat(encodedFields)
}

function encodeNamed(name: string, value: Uint8Array): Buffer {
  return Buffer.concat([encodeLengthDelimited(1, Buffer.from(name)), encodeLengthDelimited(2, value)])
}

/** Encodes a value as `Any` with its YAML text. JSON is valid YAML. */
function encodeAny(value: unknown): Buffer {
  return encodeLengthDelimited(2, Buffer.from(`${formatJson(value)}\n`))
}

const encodeString: Encode = (field, value) => encodeLengthDelimited(field, Buffer.from(value as string))
const encodeBool: Encode = (field, value) => (value === true ? encodeVarintField(field, 1) : noBytes)
const encodeStrings: Encode = (field, value) => Buffer.concat((value as string[]).map((text) => encodeString(field, text)))
const encodeMessage =
  (shape: () => Shape): Encode =>
  (field, value) =>
    encodeLengthDelimited(field, encodeShape(value as object, shape()))
const encodeRepeated =
  (encode: (value: object) => Uint8Array): Encode =>
  (field, value) =>
    Buffer.concat((value as object[]).map((element) => encodeLengthDelimited(field, encode(element))))

const infoShape: Shape = {
  fields: [
    ['title', 1, encodeString],
    ['version', 2, encodeString],
  ],
}
const apiKey: Shape = {
  fields: [
    ['type', 1, encodeString],
    ['name', 2, encodeString],
    ['in', 3, encodeString],
    ['description', 4, encodeString],
  ],
}

const smallSchemas = new SchemaEncoder()
const encodeSmallSchema: Encode = (field, value) => encodeLengthDelimited(field, smallSchemas.encode(value as object))

const bodyParameter: Shape = {
  fields: [
    ['description', 1, encodeString],
    ['name', 2, encodeString],
    ['in', 3, encodeString],
    ['required', 4, encodeBool],
    ['schema', 5, encodeSmallSchema],
  ],
}
const createPlainParameterShape = (type: number, uniqueItems: number): Shape => ({
  fields: [
    ['required', 1, encodeBool],
    ['in', 2, encodeString],
    ['description', 3, encodeString],
    ['name', 4, encodeString],
    ['type', type, encodeString],
    ['uniqueItems', uniqueItems, encodeBool],
  ],
})
const queryParameter = createPlainParameterShape(6, 20)
const pathParameter = createPlainParameterShape(5, 19)

/** Encodes a parameter. It is nested in several oneofs: parameter or reference; body or not; query or path. */
function encodeParameter(value: object): Buffer {
  const location = (value as { readonly in: string }).in
  if (location === 'body') return encodeLengthDelimited(1, encodeLengthDelimited(1, encodeShape(value, bodyParameter)))
  const choice =
    location === 'query'
      ? encodeLengthDelimited(3, encodeShape(value, queryParameter))
      : encodeLengthDelimited(4, encodeShape(value, pathParameter))
  return encodeLengthDelimited(1, encodeLengthDelimited(2, choice))
}

const response: Shape = {
  fields: [
    ['description', 1, encodeString],
    ['schema', 2, (field, value) => encodeLengthDelimited(field, encodeSmallSchema(1, value))],
  ],
}
const encodeResponses: Encode = (field, value) => {
  const codes = Object.entries(value as Record<string, object>)
  // The value is always a response and never a reference.
  return encodeLengthDelimited(
    field,
    Buffer.concat(
      codes.map(([code, answer]) => encodeLengthDelimited(1, encodeNamed(code, encodeLengthDelimited(1, encodeShape(answer, response))))),
    ),
  )
}

const operation: Shape = {
  fields: [
    ['tags', 1, encodeStrings],
    ['description', 3, encodeString],
    ['operationId', 5, encodeString],
    ['produces', 6, encodeStrings],
    ['consumes', 7, encodeStrings],
    ['parameters', 8, encodeRepeated(encodeParameter)],
    ['responses', 9, encodeResponses],
    ['schemes', 10, encodeStrings],
  ],
  extensions: 13,
}
const pathItem: Shape = {
  fields: [
    ['get', 2, encodeMessage(() => operation)],
    ['put', 3, encodeMessage(() => operation)],
    ['post', 4, encodeMessage(() => operation)],
    ['delete', 5, encodeMessage(() => operation)],
    ['options', 6, encodeMessage(() => operation)],
    ['head', 7, encodeMessage(() => operation)],
    ['patch', 8, encodeMessage(() => operation)],
    ['parameters', 9, encodeRepeated(encodeParameter)],
  ],
  extensions: 10,
}
