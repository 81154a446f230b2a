import { stringifyJson, createVerbatimValue } from '@keelson/apimachinery'
import type { VerbatimValue } from '@keelson/apimachinery'
import { getSingleSchema } from './subschemas.ts'
import type { HubVersion, Schema } from './hub-spec.ts'

// Values in error messages in the form of kube-apiserver's internal types: Go field names, and zero values for absent fields.

/** Maximum number of schemas in a printed value. A larger value would block the thread, and is left out of the message. */
const maxPrintedSchemas = 2000

type Encode = (value: unknown, budget: Budget) => unknown
interface Budget {
  schemas: number
}

class TooLarge extends Error {}

const encodePlain =
  (zero: unknown): Encode =>
  (value) =>
    value ?? zero
const encodeStruct =
  (fields: Readonly<Record<string, readonly [member: string, encode: Encode]>>, absent: unknown = null): Encode =>
  (value, budget) => {
    if (value === undefined || value === null) return absent
    const members = value as Readonly<Record<string, unknown>>
    return Object.fromEntries(Object.entries(fields).map(([name, [member, encode]]) => [name, encode(members[member], budget)]))
  }
const list =
  (item: Encode): Encode =>
  (value, budget) =>
    Array.isArray(value) ? value.map((entry) => item(entry, budget)) : null
const map =
  (item: Encode): Encode =>
  (value, budget) => {
    if (value === undefined || value === null) return null
    const members = value as Readonly<Record<string, unknown>>
    const names = Object.keys(members).sort()
    return Object.fromEntries(names.map((name) => [name, item(members[name], budget)]))
  }

const text = encodePlain('')
const flag = encodePlain(false)
const optional = encodePlain(null)

const rule = encodeStruct({
  Rule: ['rule', text],
  Message: ['message', text],
  MessageExpression: ['messageExpression', text],
  Reason: ['reason', optional],
  FieldPath: ['fieldPath', text],
  OptionalOldSelf: ['optionalOldSelf', optional],
})

const encodeSchemaOrBool: Encode = (value, budget) =>
  value === undefined ? null : { Allows: value !== false, Schema: encodeSchema(getSingleSchema(value), budget) }
const encodeSchemaOrArray: Encode = (value, budget) =>
  value === undefined ? null : { Schema: encodeSchema(getSingleSchema(value), budget), JSONSchemas: list(encodeSchema)(value, budget) }
const encodeSchemaOrStrings: Encode = (value, budget) => ({
  Schema: encodeSchema(getSingleSchema(value), budget),
  Property: Array.isArray(value) ? value : null,
})

/** The fields of the internal JSONSchemaProps in their order, each with the member of the v1 type. */
const schemaFields: Readonly<Record<string, readonly [member: keyof Schema, encode: Encode]>> = {
  ID: ['id', text],
  Schema: ['$schema', text],
  Ref: ['$ref', optional],
  Description: ['description', text],
  Type: ['type', text],
  Nullable: ['nullable', flag],
  Format: ['format', text],
  Title: ['title', text],
  Default: ['default', optional],
  Maximum: ['maximum', optional],
  ExclusiveMaximum: ['exclusiveMaximum', flag],
  Minimum: ['minimum', optional],
  ExclusiveMinimum: ['exclusiveMinimum', flag],
  MaxLength: ['maxLength', optional],
  MinLength: ['minLength', optional],
  Pattern: ['pattern', text],
  MaxItems: ['maxItems', optional],
  MinItems: ['minItems', optional],
  UniqueItems: ['uniqueItems', flag],
  MultipleOf: ['multipleOf', optional],
  Enum: ['enum', list(optional)],
  MaxProperties: ['maxProperties', optional],
  MinProperties: ['minProperties', optional],
  Required: ['required', list(text)],
  Items: ['items', encodeSchemaOrArray],
  AllOf: ['allOf', list(encodeSchema)],
  OneOf: ['oneOf', list(encodeSchema)],
  AnyOf: ['anyOf', list(encodeSchema)],
  Not: ['not', encodeSchema],
  Properties: ['properties', map(encodeSchema)],
  AdditionalProperties: ['additionalProperties', encodeSchemaOrBool],
  PatternProperties: ['patternProperties', map(encodeSchema)],
  Dependencies: ['dependencies', map(encodeSchemaOrStrings)],
  AdditionalItems: ['additionalItems', encodeSchemaOrBool],
  Definitions: ['definitions', map(encodeSchema)],
  ExternalDocs: ['externalDocs', encodeStruct({ Description: ['description', text], URL: ['url', text] })],
  Example: ['example', optional],
  XPreserveUnknownFields: ['x-kubernetes-preserve-unknown-fields', optional],
  XEmbeddedResource: ['x-kubernetes-embedded-resource', flag],
  XIntOrString: ['x-kubernetes-int-or-string', flag],
  XListMapKeys: ['x-kubernetes-list-map-keys', list(text)],
  XListType: ['x-kubernetes-list-type', optional],
  XMapType: ['x-kubernetes-map-type', optional],
  XValidations: ['x-kubernetes-validations', list(rule)],
}

function encodeSchema(value: unknown, budget: Budget): unknown {
  if (value === undefined || value === null) return null
  if (--budget.schemas < 0) throw new TooLarge('the schema is too large to print')
  return encodeStruct(schemaFields)(value, budget)
}

const column = encodeStruct({
  Name: ['name', text],
  Type: ['type', text],
  Format: ['format', text],
  Description: ['description', text],
  Priority: ['priority', encodePlain(0)],
  JSONPath: ['jsonPath', text],
})

const version = encodeStruct({
  Name: ['name', text],
  Served: ['served', flag],
  Storage: ['storage', flag],
  Deprecated: ['deprecated', flag],
  DeprecationWarning: ['deprecationWarning', optional],
  Schema: ['schema', encodeStruct({ OpenAPIV3Schema: ['openAPIV3Schema', encodeSchema] })],
  Subresources: [
    'subresources',
    encodeStruct({
      Status: ['status', encodeStruct({})],
      Scale: [
        'scale',
        encodeStruct({
          SpecReplicasPath: ['specReplicasPath', text],
          StatusReplicasPath: ['statusReplicasPath', text],
          LabelSelectorPath: ['labelSelectorPath', optional],
        }),
      ],
    }),
  ],
  AdditionalPrinterColumns: ['columns', list(column)],
  SelectableFields: ['selectableFields', list(encodeStruct({ JSONPath: ['jsonPath', text] }))],
})

/** Returns the names of the internal fields of a schema that are set, in their order. */
export function listSetFields(schema: Schema): string[] {
  return Object.entries(schemaFields).flatMap(([name, [member]]) => {
    const value = schema[member]
    const isZero = value === undefined || value === false || (value === '' && !member.startsWith('x-'))
    return isZero && !(member === 'x-kubernetes-preserve-unknown-fields' && value === false) ? [] : [name]
  })
}

/** Prints a schema, or undefined if it is too large for an error message. */
export function printSchema(schema: Schema): VerbatimValue | undefined {
  return print(schema, encodeSchema)
}

export function printItems(items: unknown): VerbatimValue | undefined {
  return print(items, encodeSchemaOrArray)
}

/** Prints the versions of a definition, or undefined if they are too large for an error message. */
export function printVersions(versions: readonly HubVersion[] | null): VerbatimValue | undefined {
  return print(
    versions?.map(({ version: { name, served, storage, deprecated, deprecationWarning }, own }) => {
      return { name, served, storage, deprecated, deprecationWarning, ...own }
    }),
    list(version),
  )
}

function print(value: unknown, encode: Encode): VerbatimValue | undefined {
  try {
    return createVerbatimValue(stringifyJson(encode(value, { schemas: maxPrintedSchemas })))
  } catch (error) {
    if (error instanceof TooLarge) return undefined
    throw error
  }
}
