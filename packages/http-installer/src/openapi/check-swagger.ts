type Check = (value: unknown) => boolean
type Members = Readonly<Record<string, unknown>>

const isText: Check = (value) => typeof value === 'string'
const isFlag: Check = (value) => typeof value === 'boolean'
const isNumber: Check = (value) => typeof value === 'number'
const isInteger: Check = (value) => Number.isSafeInteger(value)
const isObject = (value: unknown): value is Members => typeof value === 'object' && value !== null && !Array.isArray(value)
const isList =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check)
const isMap =
  (check: Check): Check =>
  (value) =>
    isObject(value) && Object.values(value).every(check)
/** Checks the members that a document may have. Other members have any type. */
const hasMembers =
  (checks: Readonly<Record<string, Check>>): Check =>
  (value) =>
    isObject(value) && Object.entries(checks).every(([name, check]) => !Object.hasOwn(value, name) || check(value[name]))

const isSchema: Check = (value) => checkSchemaMembers(value)
const checkSchemaMembers = hasMembers({
  $ref: isText,
  type: isText,
  format: isText,
  title: isText,
  description: isText,
  pattern: isText,
  maximum: isNumber,
  minimum: isNumber,
  multipleOf: isNumber,
  exclusiveMaximum: isFlag,
  exclusiveMinimum: isFlag,
  uniqueItems: isFlag,
  maxLength: isInteger,
  minLength: isInteger,
  maxItems: isInteger,
  minItems: isInteger,
  maxProperties: isInteger,
  minProperties: isInteger,
  required: isList(isText),
  enum: isList(() => true),
  externalDocs: hasMembers({ description: isText, url: isText }),
  items: isSchema,
  properties: isMap(isSchema),
  additionalProperties: (value) => isFlag(value) || isSchema(value),
})

const locations = new Set<unknown>(['body', 'query', 'path'])
const isParameter: Check = (value) => isObject(value) && locations.has(value['in']) && checkParameterMembers(value)
const checkParameterMembers = hasMembers({
  name: isText,
  description: isText,
  type: isText,
  required: isFlag,
  uniqueItems: isFlag,
  schema: isSchema,
})
const isOperation = hasMembers({
  tags: isList(isText),
  description: isText,
  operationId: isText,
  produces: isList(isText),
  consumes: isList(isText),
  schemes: isList(isText),
  parameters: isList(isParameter),
  responses: isMap(hasMembers({ description: isText, schema: isSchema })),
})
const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch']
const isPathItem = hasMembers({
  ...Object.fromEntries(methods.map((method) => [method, isOperation])),
  parameters: isList(isParameter),
})

/** Returns a definition of an OpenAPI v2 document. Throws if one of its members has a wrong type. */
export const checkDefinition = (value: unknown): unknown => check(value, isSchema, 'definition')
/** Returns a parameter of an OpenAPI v2 document. Throws if one of its members has a wrong type. */
export const checkParameter = (value: unknown): unknown => check(value, isParameter, 'parameter')
/** Returns a path item of an OpenAPI v2 document. Throws if one of its members has a wrong type. */
export const checkPathItem = (value: unknown): unknown => check(value, isPathItem, 'path item')

function check(value: unknown, isValid: Check, what: string): unknown {
  if (!isValid(value)) throw new Error(`invalid ${what}: ${JSON.stringify(value).slice(0, 200)}`)
  return value
}
