import { appendAll, fieldError, wasSentEmpty } from '@keelson/apimachinery'
import type { FieldErrorList, FieldPath, Task } from '@keelson/apimachinery'
import { validateRuleFields } from '../rules/validate-rules.ts'
import type { Schema } from './hub-spec.ts'
import { validateKeyPresence, validateListType, validateMapType } from './list-rules.ts'
import { listSubschemas } from './subschemas.ts'
import type { Subschema } from './subschemas.ts'

/** The rules that a stored definition already violates are not applied to its updates. */
export interface SchemaRules {
  readonly requiresKnownTypes: boolean
  readonly requiresAtomicItems: boolean
  readonly requiresKeyPresence: boolean
}

interface Node {
  readonly schema: Schema
  readonly path: FieldPath
  readonly isRoot: boolean
  readonly isInMetadata: boolean
  /** The reason why defaults are forbidden; undefined if they are allowed. */
  readonly defaultsForbidden: string | undefined
  readonly parent: Node | undefined
  /** Whether the children have been checked, so that the rules that follow them are next. */
  isLeaving: boolean
}

/** The errors of a schema, and the schemas that have errors themselves or below. */
export interface SchemaErrors {
  readonly errors: FieldErrorList
  readonly invalid: ReadonlySet<Schema>
}

/** Number of children that are opened in one step. A schema may have tens of thousands. */
const childrenPerStep = 500

/** Validates a schema without its rules. Errors have the order of kube-apiserver, which checks some rules before and some after children. */
export function* validateSchema(path: FieldPath, root: Schema, rules: SchemaRules): Task<SchemaErrors> {
  const errors: FieldErrorList = []
  const invalid = new Set<Schema>()
  const open: Node[] = [
    { schema: root, path, isRoot: true, isInMetadata: false, defaultsForbidden: undefined, parent: undefined, isLeaving: false },
  ]
  for (let node = open.at(-1); node !== undefined; node = open.at(-1)) {
    const nodeErrors = node.isLeaving ? checkAfterChildren(node, rules) : checkBeforeChildren(node, rules)
    appendAll(errors, nodeErrors)
    if (nodeErrors.length > 0) markUpwards(invalid, node)
    if (node.isLeaving) open.pop()
    else {
      node.isLeaving = true
      const children = yield* listSubschemas(node.schema)
      for (let i = children.length - 1; i >= 0; i--) {
        const child = openChild(node, children[i]!)
        if (child !== undefined) open.push(child)
        if (i % childrenPerStep === 0) yield
      }
    }
    yield
  }
  return { errors, invalid }
}

/** Adds the schema of a node and the schemas that contain it. */
function markUpwards(marked: Set<Schema>, node: Node): void {
  for (let at: Node | undefined = node; at !== undefined && !marked.has(at.schema); at = at.parent) marked.add(at.schema)
}

const typeMetaMembers: ReadonlySet<unknown> = new Set(['metadata', 'kind', 'apiVersion'])

function openChild(parent: Node, { schema, member, at }: Subschema): Node | undefined {
  // kube-apiserver does not validate schemas in these members, which it rejects.
  if (member === 'patternProperties' || member === 'additionalItems') return undefined
  const { path, isRoot } = parent
  let { isInMetadata, defaultsForbidden } = parent
  if (member === 'additionalProperties' && isInMetadata) defaultsForbidden = 'inside additionalProperties applying to object metadata'
  if (member === 'properties' && (isRoot || parent.schema['x-kubernetes-embedded-resource'] === true) && typeMetaMembers.has(at)) {
    isInMetadata = true
    if (isRoot) defaultsForbidden = `in top-level ${at}`
  }
  const memberPath = path.child(member)
  const childPath = at === undefined ? memberPath : typeof at === 'number' ? memberPath.index(at) : memberPath.key(at)
  return { schema, path: childPath, isRoot: false, isInMetadata, defaultsForbidden, parent, isLeaving: false }
}

const knownTypes = ['array', 'boolean', 'integer', 'number', 'object', 'string']

/** Members that kube-apiserver rejects, in the order of their errors. */
const unsupportedMembers = ['id', 'additionalItems', 'patternProperties', 'definitions', 'dependencies', '$ref'] as const

function checkBeforeChildren(node: Node, rules: SchemaRules): FieldErrorList {
  const { schema, path, defaultsForbidden } = node
  const { type = '' } = schema
  const errors: FieldErrorList = []
  if (rules.requiresKnownTypes && type !== '' && !knownTypes.includes(type)) {
    errors.push(fieldError.notSupported(path.child('type'), type, knownTypes))
  }
  if (schema.default !== undefined && defaultsForbidden !== undefined) {
    errors.push(fieldError.forbidden(path.child('default'), `must not be set ${defaultsForbidden}`))
  }
  for (const member of unsupportedMembers) {
    if (schema[member] !== undefined || (member === 'dependencies' && wasSentEmpty(schema, member)))
      errors.push(fieldError.forbidden(path.child(member), `${member} is not supported`))
  }
  if (type === 'null') errors.push(fieldError.forbidden(path.child('type'), 'type cannot be set to null, use nullable as an alternative'))
  if (Array.isArray(schema.items)) errors.push(fieldError.forbidden(path.child('items'), 'items must be a schema object and not an array'))
  if (node.isInMetadata && schema['x-kubernetes-embedded-resource'] === true) {
    errors.push(fieldError.forbidden(path.child('x-kubernetes-embedded-resource'), 'must not be used inside of resource meta'))
  }
  if (schema.uniqueItems === true) {
    const detail = 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic'
    errors.push(fieldError.forbidden(path.child('uniqueItems'), detail))
  }
  const { additionalProperties, properties } = schema
  if (additionalProperties !== undefined && additionalProperties !== true && properties !== undefined) {
    errors.push(fieldError.forbidden(path.child('additionalProperties'), 'additionalProperties and properties are mutual exclusive'))
  }
  return errors
}

function checkAfterChildren({ schema, path }: Node, rules: SchemaRules): FieldErrorList {
  const preserves = 'x-kubernetes-preserve-unknown-fields'
  return [
    ...(schema[preserves] === false ? [fieldError.invalid(path.child(preserves), false, 'must be true or undefined')] : []),
    ...validateMapType(schema, path),
    ...validateListType(schema, path, rules),
    ...(rules.requiresKeyPresence ? validateKeyPresence(schema, path) : []),
    ...validateRuleFields(path, schema),
  ]
}
