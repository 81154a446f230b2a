import { compareUtf8, fieldError, formatFieldError, newFieldPath } from '@keelson/apimachinery'
import type { FieldErrorList, FieldPath, Task } from '@keelson/apimachinery'
import { findPatternError } from '@keelson/cel'
import type { Definition, Schema } from './hub-spec.ts'
import { isEmpty, getSingleSchema } from './subschemas.ts'
import { runTask } from './tasks.ts'

type Level = 'root' | 'item' | 'field'

/** A schema of the structure: not below `allOf`, `anyOf`, `oneOf` or `not`. */
interface StructuralNode {
  readonly isNested: false
  readonly schema: Schema
  readonly level: Level
  readonly path: FieldPath
}

/** A schema below `allOf`, `anyOf`, `oneOf` or `not`, which may only validate values of the structure. */
interface NestedNode {
  readonly isNested: true
  readonly schema: Schema
  readonly path: FieldPath
  /** Whether `anyOf` is the pattern of int-or-string, which may have types. */
  readonly skipsAnyOf?: boolean
}

/** The errors found so far, and the schemas that are still to be checked. */
interface Check {
  readonly errors: FieldErrorList
  readonly open: (StructuralNode | NestedNode)[]
}

/**
 * Checks that a schema is structural, as kube-apiserver requires for pruning and defaulting. The errors are sorted by their messages, as in
 * kube-apiserver.
 * https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#specifying-a-structural-schema
 */
export function* validateStructural(path: FieldPath, root: Schema): Task<FieldErrorList> {
  const check: Check = { errors: [], open: [{ isNested: false, schema: root, level: 'root', path }] }
  const { errors, open } = check
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (node.isNested) checkNested(check, node)
    else yield* checkStructure(check, node)
    yield
  }
  yield* checkCompleteness(errors, path, root)
  const messages = new Map(errors.map((error) => [error, formatFieldError(error)]))
  return errors.sort((a, b) => compareUtf8(messages.get(a)!, messages.get(b)!))
}

/** Returns the violations of the rules for structural schemas in all versions of a definition. */
export function findStructuralProblems({ spec }: Definition): FieldErrorList {
  return (spec.versions ?? []).flatMap(({ schema }, i) => {
    if (schema?.openAPIV3Schema === undefined) return []
    const path = newFieldPath('spec', 'versions').index(i).child('schema', 'openAPIV3Schema')
    const { problem } = runTask(undefined, () => findUnsupportedMember(schema.openAPIV3Schema!))!
    if (problem !== undefined) return [fieldError.invalid(path, '', problem)]
    return runTask(undefined, () => validateStructural(path, schema.openAPIV3Schema!))!
  })
}

/** Number of properties that are opened in one step. A schema may have tens of thousands. */
const propertiesPerStep = 500

function* checkStructure({ errors, open }: Check, { schema, level, path }: StructuralNode): Task<void> {
  const { type = '', items, properties = {}, additionalProperties } = schema
  const item = getSingleSchema(items)
  if (type === 'array' && item === undefined) errors.push(fieldError.required(path.child('items'), 'must be specified'))
  if (item !== undefined) open.push({ isNested: false, schema: item, level: 'item', path: path.child('items') })
  for (const name in properties) {
    open.push({ isNested: false, schema: properties[name]!, level: 'field', path: path.child('properties').key(name) })
    if (open.length % propertiesPerStep === 0) yield
  }
  if (additionalProperties !== undefined) {
    const at = path.child('additionalProperties')
    if (level === 'root') errors.push(fieldError.forbidden(at, 'must not be used at the root'))
    const values = getSingleSchema(additionalProperties)
    if (values !== undefined) open.push({ isNested: false, schema: values, level: 'field', path: at })
  }
  checkExtensions(errors, schema, path)
  const isAllOfPattern = isIntOrStringPattern(schema.allOf?.[0]?.anyOf)
  checkJunctors({ errors, open }, { schema, path, skipsAnyOf: isIntOrStringPattern(schema.anyOf), skipsAnyOfInAllOf: isAllOfPattern })
  checkType(errors, { schema, level, path })
  if (level === 'root' || isEmbedded(schema)) checkTypeMeta(errors, schema, path)
  const { metadata } = properties
  if (metadata !== undefined && Object.hasOwn(properties, 'metadata'))
    checkMetadata(errors, { schema: metadata, level, isRequired: isEmbedded(schema), path: path.child('properties').key('metadata') })
  if (isEmbedded(schema) && schema['x-kubernetes-preserve-unknown-fields'] !== true && isEmpty(properties)) {
    errors.push(
      fieldError.required(
        path.child('properties'),
        'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields',
      ),
    )
  }
}

function checkExtensions(errors: FieldErrorList, schema: Schema, path: FieldPath): void {
  if (schema['x-kubernetes-int-or-string'] !== true) return
  for (const name of ['x-kubernetes-preserve-unknown-fields', 'x-kubernetes-embedded-resource'] as const) {
    if (schema[name] === true)
      errors.push(fieldError.invalid(path.child(name), true, 'must be false if x-kubernetes-int-or-string is true'))
  }
}

const emptyTypeDetails: Readonly<Record<Level, string>> = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
}

function checkType(errors: FieldErrorList, { schema, level, path }: Omit<StructuralNode, 'isNested'>): void {
  const { type = '' } = schema
  const at = path.child('type')
  if (isEmbedded(schema) && type !== 'object') {
    const detail = 'must be object if x-kubernetes-embedded-resource is true'
    errors.push(type === '' ? fieldError.required(at, detail) : fieldError.invalid(at, type, detail))
  } else if (type === '' && !schema['x-kubernetes-int-or-string'] && !schema['x-kubernetes-preserve-unknown-fields']) {
    errors.push(fieldError.required(at, emptyTypeDetails[level]))
  }
  if (isEmbedded(schema) && schema.additionalProperties !== undefined) {
    errors.push(fieldError.forbidden(path.child('additionalProperties'), 'must not be used if x-kubernetes-embedded-resource is set'))
  }
  if (level === 'root' && type !== '' && type !== 'object') errors.push(fieldError.invalid(at, type, 'must be object at the root'))
}

function checkTypeMeta(errors: FieldErrorList, { properties = {} }: Schema, path: FieldPath): void {
  for (const name of ['kind', 'apiVersion']) {
    if (!Object.hasOwn(properties, name)) continue
    const { type = '' } = properties[name]!
    if (type !== 'string') errors.push(fieldError.invalid(path.child('properties').key(name).child('type'), type, 'must be string'))
  }
}

interface MetadataNode extends Omit<StructuralNode, 'isNested'> {
  /** Whether metadata must be an object, because it belongs to an embedded object. */
  readonly isRequired: boolean
}

function checkMetadata(errors: FieldErrorList, { schema, level, isRequired, path }: MetadataNode): void {
  const { type = '', default: _default, properties = {}, ...rest } = schema
  if ((level === 'root' || isRequired) && type !== 'object') errors.push(fieldError.invalid(path.child('type'), type, 'must be object'))
  if (level !== 'root') return
  const hasOther = Object.keys(properties).some((name) => name !== 'name' && name !== 'generateName')
  if (hasOther || !hasNoMembers(rest)) {
    const detail = 'must not specify anything other than name and generateName, but metadata is implicitly specified'
    errors.push(fieldError.forbidden(path, detail))
  }
}

interface Junctors {
  readonly schema: Schema
  readonly path: FieldPath
  readonly skipsAnyOf?: boolean | undefined
  readonly skipsAnyOfInAllOf?: boolean
}

/** Adds the schemas in `allOf`, `anyOf`, `oneOf` and `not` to the open ones, and checks the pattern. */
function checkJunctors({ errors, open }: Check, { schema, path, skipsAnyOf = false, skipsAnyOfInAllOf = false }: Junctors): void {
  const add = (member: 'allOf' | 'anyOf' | 'oneOf'): void =>
    schema[member]?.forEach((nested, i) => {
      const isPattern = skipsAnyOfInAllOf && member === 'allOf' && i === 0
      open.push({ isNested: true, schema: nested, path: path.child(member).index(i), ...(isPattern && { skipsAnyOf: true }) })
    })
  if (!skipsAnyOf) add('anyOf')
  add('allOf')
  add('oneOf')
  if (schema.not !== undefined) open.push({ isNested: true, schema: schema.not, path: path.child('not') })
  const problem = schema.pattern ? findPatternError(schema.pattern) : undefined
  if (problem === undefined) return
  errors.push(fieldError.invalid(path.child('pattern'), schema.pattern, `must be a valid regular expression, but isn't: ${problem}`))
}

/** Members that a nested schema must not have, each with the rule in its error message. */
const forbiddenMembers: readonly (readonly [name: keyof Schema, rule: string])[] = [
  ['type', 'must be empty'],
  ['default', 'must be undefined'],
  ['title', 'must be empty'],
  ['description', 'must be empty'],
  ['nullable', 'must be false'],
  ['x-kubernetes-preserve-unknown-fields', 'must be false'],
  ['x-kubernetes-embedded-resource', 'must be false'],
  ['x-kubernetes-int-or-string', 'must be false'],
  ['x-kubernetes-list-map-keys', 'must be empty'],
  ['x-kubernetes-list-type', 'must be undefined'],
  ['x-kubernetes-map-type', 'must be undefined'],
  ['x-kubernetes-validations', 'must be empty'],
]

function checkNested(check: Check, { schema, path, skipsAnyOf }: NestedNode): void {
  const { errors, open } = check
  checkJunctors(check, { schema, path, skipsAnyOf })
  const item = getSingleSchema(schema.items)
  if (item !== undefined) open.push({ isNested: true, schema: item, path: path.child('items') })
  const { properties = {}, additionalProperties } = schema
  for (const name in properties) open.push({ isNested: true, schema: properties[name]!, path: path.child('properties').key(name) })
  for (const [name, rule] of forbiddenMembers) {
    if (rule === 'must be undefined' ? schema[name] !== undefined : isSet(schema[name]))
      errors.push(fieldError.forbidden(path.child(name), `${rule} to be structural`))
  }
  if (additionalProperties !== undefined && additionalProperties !== false) {
    errors.push(fieldError.forbidden(path.child('additionalProperties'), 'must be undefined to be structural'))
  }
  if (Object.hasOwn(properties, 'metadata')) {
    errors.push(fieldError.forbidden(path.child('properties').key('metadata'), 'must not be specified in a nested context'))
  }
}

/** A nested schema, and the structural schema of the same values. */
interface Pair {
  readonly nested: Schema
  readonly structure: Schema | undefined
  readonly path: FieldPath
  readonly nestedPath: FieldPath
}

/** Checks that every field and list in `allOf`, `anyOf`, `oneOf` and `not` at the root also exists in the structure. */
function* checkCompleteness(errors: FieldErrorList, path: FieldPath, root: Schema): Task<void> {
  const open: Pair[] = []
  const addJunctors = (schema: Schema, structure: Schema, [at, nestedAt]: readonly [FieldPath, FieldPath]): void => {
    const add = (nested: Schema, nestedPath: FieldPath): void => void open.push({ nested, structure, path: at, nestedPath })
    if (schema.not !== undefined) add(schema.not, nestedAt.child('not'))
    for (const member of ['allOf', 'anyOf', 'oneOf'] as const)
      schema[member]?.forEach((nested, i) => add(nested, nestedAt.child(member).index(i)))
  }
  addJunctors(root, root, [path, path])
  for (let pair = open.pop(); pair !== undefined; pair = open.pop()) {
    const { nested, structure, path: at, nestedPath } = pair
    if (structure === undefined) errors.push(fieldError.required(at, `because it is defined in ${nestedPath.toString()}`))
    else {
      addJunctors(nested, structure, [at, nestedPath])
      const item = getSingleSchema(nested.items)
      if (item !== undefined)
        open.push({
          nested: item,
          structure: getSingleSchema(structure.items),
          path: at.child('items'),
          nestedPath: nestedPath.child('items'),
        })
      const { properties = {} } = structure
      for (const name in nested.properties) {
        open.push({
          nested: nested.properties[name]!,
          structure: Object.hasOwn(properties, name) ? properties[name] : undefined,
          path: at.child('properties').key(name),
          nestedPath: nestedPath.child('properties').key(name),
        })
      }
    }
    yield
  }
}

const unsupportedMembers = ['id', '$schema', '$ref', 'patternProperties', 'dependencies', 'additionalItems', 'definitions'] as const

/** Returns kube-apiserver's error for a schema with members that structural schemas do not have; undefined if there are none. */
export function* findUnsupportedMember(root: Schema): Task<{ readonly problem?: string }> {
  const open: Schema[] = [root]
  for (let schema = open.pop(); schema !== undefined; schema = open.pop()) {
    const problem = findOwnProblem(schema)
    if (problem !== undefined) return { problem }
    const { properties = {} } = schema
    const below = [schema.not, ...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? []), getSingleSchema(schema.items)]
    for (const name in properties) {
      below.push(properties[name])
      if (below.length % propertiesPerStep === 0) yield
    }
    below.push(getSingleSchema(schema.additionalProperties))
    for (let i = below.length - 1; i >= 0; i--) if (below[i] !== undefined) open.push(below[i]!)
    yield
  }
  return {}
}

function findOwnProblem(schema: Schema): string | undefined {
  for (const name of unsupportedMembers) {
    if (schema[name] === undefined || (name !== 'additionalItems' && !isSet(schema[name]))) continue
    return `OpenAPIV3Schema '${name === '$schema' ? 'schema' : name}' is not supported`
  }
  if (schema['x-kubernetes-preserve-unknown-fields'] === false)
    return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined"
  return Array.isArray(schema.items) ? "OpenAPIV3Schema 'items' must be a schema, but is an array" : undefined
}

function isIntOrStringPattern(anyOf: Schema['anyOf']): boolean {
  return anyOf?.length === 2 && anyOf.every((schema, i) => hasOnlyType(schema, i === 0 ? 'integer' : 'string'))
}

function hasOnlyType({ type, additionalProperties, ...rest }: Schema, expected: string): boolean {
  return type === expected && (additionalProperties === undefined || additionalProperties === false) && hasNoMembers(rest)
}

function hasNoMembers(schema: Schema): boolean {
  return Object.values(schema).every((value) => value === undefined)
}

function isEmbedded(schema: Schema): boolean {
  return schema['x-kubernetes-embedded-resource'] === true
}

function isSet(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return !isEmpty(value)
  return value !== undefined && value !== false && value !== ''
}
