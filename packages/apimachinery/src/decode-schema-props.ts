import { getJsonType } from './decode-context.ts'
import type { DecodeContext } from './decode-context.ts'
import type { Decoder } from './decode-scalar.ts'
import { JsonError } from './json-error.ts'
import type { StructSchema, TypeSchema } from './type-schema.ts'

/**
 * Returns the decoder of a JSON union type of apiextensions, such as JSONSchemaPropsOrBool; undefined for other types. Union types have their own
 * UnmarshalJSON, so fields inside them are not checked strictly.
 */
export function unionDecoder(schema: StructSchema, decoderOf: DecoderOf): Decoder | undefined {
  return Object.hasOwn(unionDecoders, schema.name) ? unionDecoders[schema.name]!(schema, decoderOf) : undefined
}

type DecoderOf = (schema: TypeSchema) => Decoder

const unionDecoders: Readonly<Record<string, (schema: StructSchema, decoderOf: DecoderOf) => Decoder>> = {
  JSONSchemaPropsOrBool: (schema, decoderOf) => (value, context) => {
    if (typeof value === 'boolean') return value
    if (value === null) return false
    if (getJsonType(value) === 'object') return decodeProps(schema, decoderOf, value, context)
    throw new JsonError('boolean or JSON schema expected')
  },
  JSONSchemaPropsOrArray: (schema, decoderOf) => (value, context) => {
    if (Array.isArray(value)) return value.length === 0 ? null : value.map((item) => decodeProps(schema, decoderOf, item, context))
    return getJsonType(value) === 'object' && value !== null ? decodeProps(schema, decoderOf, value, context) : null
  },
  JSONSchemaPropsOrStringArray: (schema, decoderOf) => (value, context) => {
    if (Array.isArray(value)) return decoderOf(stringList)(value, context)
    return getJsonType(value) === 'object' && value !== null ? decodeProps(schema, decoderOf, value, context) : null
  },
}

function decodeProps(schema: StructSchema, decoderOf: DecoderOf, value: unknown, context: DecodeContext): unknown {
  const props = schema.byName.get('schema')?.type ?? schema.byName.get('Schema')?.type
  if (props === undefined) throw new TypeError(`${schema.name} has no field for its schema`)
  const { strict, saved } = context
  context.strict = false
  context.saved = undefined
  try {
    const decoded = decoderOf(props)(value, context)
    // An error of a type with its own UnmarshalJSON ends decoding, so it takes precedence over earlier type mismatches.
    if (context.saved !== undefined) throw new JsonError(context.saved)
    return decoded
  } finally {
    context.strict = strict
    context.saved = saved
  }
}

const stringList = { kind: 'list', items: { kind: 'string' } } as const
