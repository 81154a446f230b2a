import { aggregateFieldErrors, appendAll, copyObject, fieldError, formatFieldError, FieldPath } from '@keelson/apimachinery'
import type { FieldErrorList, JsonValue, Task } from '@keelson/apimachinery'
import { getSingleSchema, visitSchemasStepwise } from '../definitions/subschemas.ts'
import { CompiledRules } from '../rules/compiled-rules.ts'
import { buildRuleNodesBySchema } from '../rules/rule-node.ts'
import type { RuleNode } from '../rules/rule-node.ts'
import { requestCostBudget } from '../rules/rule-evaluation.ts'
import type { RuleEvaluation } from '../rules/rule-evaluation.ts'
import type { Schema } from '../rules/schema-type.ts'
import { buildNodes, NodeBuilder } from './build-nodes.ts'
import { coerceEmbedded, validateEmbedded } from './embedded-resources.ts'
import { pruneFields } from './prune.ts'
import { Flag, has } from './schema-node.ts'
import type { JsonMembers, SchemaNode } from './schema-node.ts'
import { equalsValue, formatForMessage } from './value-checks.ts'
import { validateValue } from './validate-value.ts'

type Path = FieldPath | undefined

export interface DefaultOptions {
  /** Whether defaults must not have fields that the schema does not specify. */
  readonly requiresPruned: boolean
}

/**
 * Validates the defaults of a definition's schema, which must be structural: their values, the metadata in them, and the rules of the schema.
 * `path` is the path of the schema in the definition. Yields after small parts of the work.
 */
export function* validateDefaults(schema: Schema, path: Path, options: DefaultOptions): Task<FieldErrorList> {
  if (!(yield* hasDefaults(schema))) return []
  const nodes = yield* buildNodes(new NodeBuilder(schema, { isForDefaults: true }))
  const ruleNodes = yield* buildRuleNodesBySchema(schema)
  const validation = new DefaultValidation(nodes, ruleNodes, options)
  const places: Place[] = [{ schema, path, resource: schema, last: undefined, isInMetadata: false }]
  while (places.length > 0 && validation.budget >= 0) {
    const place = moveToResource(places.pop()!)
    if (hasDefault(place.schema)) yield* validation.validate(place)
    appendAll(places, listPlaces(place).toReversed())
    yield
  }
  return validation.errors
}

/** Finds out whether a default of a structural schema has fields that the schema does not specify. Older servers accepted such definitions. */
export function* findUnprunedDefault(schema: Schema): Task<{ readonly isUnpruned: boolean }> {
  if (!(yield* hasDefaults(schema))) return { isUnpruned: false }
  const nodes = yield* buildNodes(new NodeBuilder(schema, { isForDefaults: true }))
  for (const [part, node] of nodes) {
    if (hasDefault(part) && hasUnknownFields(part.default as JsonValue, node)) return { isUnpruned: true }
    yield
  }
  return { isUnpruned: false }
}

/** Returns whether a schema or a schema in it has a default. */
function hasDefaults(root: Schema): Task<boolean> {
  return visitSchemasStepwise(root, hasDefault)
}

function hasDefault(schema: Schema): boolean {
  return schema.default !== undefined && schema.default !== null
}

/** A step to a field, or to the items of a list (0). Steps are linked, because schemas can be deep. */
interface Step {
  readonly name: string | 0
  readonly before: Step | undefined
}

/** A schema, and its place within the closest resource: the outermost one, or an embedded one. */
interface Place {
  readonly schema: Schema
  readonly path: Path
  readonly resource: Schema
  /** The last step from the resource to the schema; undefined at the resource. */
  readonly last: Step | undefined
  /** True if the schema is that of apiVersion, kind or metadata of the resource, or within it. */
  readonly isInMetadata: boolean
}

/** Returns the place of an embedded resource as a resource of its own; other places as they are. */
function moveToResource(place: Place): Place {
  const { schema, path } = place
  return schema['x-kubernetes-embedded-resource'] === true
    ? { schema, path, resource: schema, last: undefined, isInMetadata: false }
    : place
}

/** Lists the schemas in a schema that may have defaults. Additional properties may not. */
function listPlaces(place: Place): Place[] {
  const { schema, path, last, isInMetadata } = place
  const places: Place[] = []
  const items = getSingleSchema(schema.items)
  if (items !== undefined) places.push({ ...place, schema: items, path: new FieldPath('items', path), last: { name: 0, before: last } })
  const propertiesPath = new FieldPath('properties', path)
  for (const name of Object.keys(schema.properties ?? {}).sort()) {
    const isMeta = schema === place.resource && (name === 'metadata' || name === 'apiVersion' || name === 'kind')
    places.push({
      schema: schema.properties![name]!,
      path: propertiesPath.key(name),
      resource: place.resource,
      last: { name, before: last },
      isInMetadata: isInMetadata || isMeta,
    })
  }
  return places
}

class DefaultValidation {
  readonly errors: FieldErrorList = []
  /** The rest of the cost budget for rules. It is negative if the validation must end. */
  budget: number = requestCostBudget
  readonly #nodes: ReadonlyMap<Schema, SchemaNode>
  readonly #ruleNodes: ReadonlyMap<Schema, RuleNode>
  readonly #options: DefaultOptions

  constructor(nodes: ReadonlyMap<Schema, SchemaNode>, ruleNodes: ReadonlyMap<Schema, RuleNode>, options: DefaultOptions) {
    this.#nodes = nodes
    this.#ruleNodes = ruleNodes
    this.#options = options
  }

  *validate(place: Place): Task<undefined> {
    const node = this.#nodes.get(place.schema)!
    const path = new FieldPath('default', place.path)
    const value = copyObject(place.schema.default as JsonValue)
    const isUnpruned = !place.isInMetadata && this.#options.requiresPruned && hasUnknownFields(value, node)
    const errors = place.isInMetadata ? this.#validateInMetadata(value, place, path) : validateMetadataIn(value, node, path)
    // The error prints the default after the conversion of metadata in it, as upstream.
    if (isUnpruned) this.errors.push(fieldError.invalid(path, formatForMessage(value), 'must not have unknown fields'))
    if (errors.length === 0) appendAll(errors, validateValue(node, value, { path }))
    appendAll(this.errors, errors)
    if (errors.length === 0) yield* this.#evaluateRules(place, value, path)
    return undefined
  }

  /** Validates a default of metadata, or of a field in it, as part of a resource. */
  #validateInMetadata(value: JsonValue, place: Place, path: FieldPath): FieldErrorList {
    const object = surround(copyObject(value), place.last)
    const node = this.#nodes.get(place.resource)!
    const { error } = coerceEmbedded(object, node, { isResource: true })
    const problem =
      error === undefined ? aggregateFieldErrors(validateEmbedded(object, node, { isResource: true })) : formatFieldError(error)
    return problem === '' ? [] : [fieldError.invalid(path, formatForMessage(value), `must result in valid metadata: ${problem}`)]
  }

  /** Evaluates the rules of a schema for its default, first as an update that changes nothing, then as a new value. */
  *#evaluateRules({ schema }: Place, value: JsonValue, path: FieldPath): Task<undefined> {
    const node = this.#ruleNodes.get(schema)
    if (node === undefined) return undefined
    const rules = new CompiledRules(node)
    const update = yield* finishEvaluation(rules.start(value, value, { path, budget: this.budget }))
    appendAll(this.errors, update.errors)
    let { remaining } = update
    if (update.errors.length === 0) {
      const creation = yield* finishEvaluation(rules.start(value, undefined, { path, budget: this.budget }))
      appendAll(this.errors, creation.errors)
      remaining = Math.min(remaining, creation.remaining)
    }
    this.budget = remaining
    return undefined
  }
}

function* finishEvaluation(evaluation: RuleEvaluation): Task<RuleEvaluation> {
  while (!evaluation.advance()) yield
  return evaluation
}

/** Converts the metadata of embedded resources in a default, in place, and validates it. */
function validateMetadataIn(value: JsonValue, node: SchemaNode, path: FieldPath): FieldErrorList {
  const isResource = has(node, Flag.isEmbedded)
  const { error } = coerceEmbedded(value, node, { path, isResource })
  return error === undefined ? validateEmbedded(value, node, { path, isResource }) : [error]
}

function hasUnknownFields(value: JsonValue, node: SchemaNode): boolean {
  const pruned = copyObject(value)
  pruneFields(pruned, node, has(node, Flag.isEmbedded))
  return !equalsValue(pruned, value)
}

/** Returns a resource that has only a value, at the place that the steps lead to. */
function surround(value: JsonValue, last: Step | undefined): JsonMembers {
  let object = value
  for (let step = last; step !== undefined; step = step.before) object = step.name === 0 ? [object] : { [step.name]: object }
  return { kind: 'Validation', apiVersion: 'validation/v1', ...(object as JsonMembers) }
}
