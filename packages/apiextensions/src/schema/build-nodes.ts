import { copyObject, stringifyJson, finishTask } from '@keelson/apimachinery'
import type { JsonValue, Task } from '@keelson/apimachinery'
import { pushSubschemas, getSingleSchema } from '../definitions/subschemas.ts'
import type { Schema } from '../rules/schema-type.ts'
import { AllowedValues } from './allowed-values.ts'
import { coerceEmbedded } from './embedded-resources.ts'
import { pruneFields } from './prune.ts'
import { isSupportedFormat } from './formats.ts'
import { Flag, has, typeNames } from './schema-node.ts'
import type { Composition, Constraints, Default, SchemaNode } from './schema-node.ts'

/** Flags of a node that its parent also gets. */
const inherited = Flag.constrains | Flag.setsDefaults | Flag.hasKeyedLists | Flag.hasEmbedded

export interface BuildOptions {
  /**
   * True to build nodes that validate the defaults of a definition. kube-apiserver validates defaults with all formats, even those that it ignores
   * in requests, and does not check the type of int-or-string.
   */
  readonly isForDefaults?: boolean
}

/** Builds the node of a schema. Takes about a millisecond for a thousand parts of the schema. */
export function buildNode(schema: Schema): SchemaNode {
  return finishTask(buildNodeStepwise(schema))
}

/** Builds the node of a schema. Yields after each part of the schema. */
export function* buildNodeStepwise(schema: Schema): Task<SchemaNode> {
  const nodes = yield* buildNodes(new NodeBuilder(schema))
  return nodes.get(schema)!
}

/** Builds all nodes of a builder. Yields after each part of the schema. */
export function* buildNodes(builder: NodeBuilder): Task<ReadonlyMap<Schema, SchemaNode>> {
  while (!builder.isDone) {
    yield* builder.buildNext()
    yield
  }
  return builder.nodes
}

/** Number of properties that are added in one step. A schema may have tens of thousands. */
const propertiesPerStep = 500

/** Builds the nodes of one schema, the innermost ones first. Equal parts of the schema become one node. */
export class NodeBuilder {
  readonly nodes: Map<Schema, SchemaNode> = new Map()
  readonly #isForDefaults: boolean
  /** The parts of the schema that have no node yet. Each part is before the parts in it. */
  readonly #schemas: Schema[]
  /** Number of parts whose own parts are in the list. */
  #opened = 0
  readonly #shared = new Map<string, SchemaNode>()
  readonly #ids = new Map<SchemaNode, number>()
  readonly #constraints = new Map<string, SharedConstraints>()
  /** Enums whose index is not complete. */
  readonly #unindexed: AllowedValues[] = []

  constructor(schema: Schema, { isForDefaults = false }: BuildOptions = {}) {
    this.#isForDefaults = isForDefaults
    this.#schemas = [schema]
  }

  get isDone(): boolean {
    return this.#schemas.length === 0 && this.#unindexed.length === 0
  }

  /** Finds the parts in a part, or builds the next node, or a part of the index of an enum. */
  *buildNext(): Task<void> {
    if (this.#opened < this.#schemas.length) return yield* pushSubschemas(this.#schemas[this.#opened++]!, this.#schemas)
    const part = this.#schemas.pop()
    if (part === undefined) this.#indexMore()
    else if (!this.nodes.has(part)) this.nodes.set(part, yield* this.#build(part))
  }

  #indexMore(): void {
    const values = this.#unindexed.at(-1)!
    values.indexMore()
    if (values.isIndexed) this.#unindexed.pop()
  }

  *#build(schema: Schema): Task<SchemaNode> {
    const properties = schema.properties && (yield* this.#findProperties(schema.properties))
    const additional = this.#find(schema.additionalProperties)
    const items = this.#find(schema.items)
    const composition = this.#findComposition(schema)
    const shared = this.#shareConstraints(compileConstraints(schema, this.#isForDefaults))
    const constraints = shared?.constraints
    const required = omitEmpty(schema.required)
    const defaulted = properties === undefined ? undefined : listNamesWithDefault(properties)
    let flags = computeOwnFlags(schema) | computeTypeFlags(schema, this.#isForDefaults)
    if (constraints !== undefined || composition !== undefined || required !== undefined) flags |= Flag.constrains
    if (defaulted !== undefined || items?.default !== undefined || additional?.default !== undefined) flags |= Flag.setsDefaults
    if (properties !== undefined) for (const child of properties.values()) flags |= child.flags & inherited
    flags |= ((items?.flags ?? 0) | (additional?.flags ?? 0)) & inherited
    const node: SchemaNode = {
      flags,
      properties,
      additional,
      items,
      required,
      constraints,
      composition,
      default: undefined,
      defaulted,
      listMapKeys: omitEmpty(schema['x-kubernetes-list-map-keys']),
    }
    const value = schema.default
    const complete = value === undefined || value === null ? node : { ...node, default: createPrunedDefault(value as JsonValue, node) }
    return this.#share(complete, shared?.id ?? 0)
  }

  #find(part: Schema['items'] | Schema['additionalProperties']): SchemaNode | undefined {
    const schema = getSingleSchema(part)
    return schema === undefined ? undefined : this.nodes.get(schema)
  }

  *#findProperties(properties: NonNullable<Schema['properties']>): Task<ReadonlyMap<string, SchemaNode> | undefined> {
    const names = Object.keys(properties)
    if (names.length === 0) return undefined
    const nodes = new Map<string, SchemaNode>()
    for (const name of names.sort()) {
      nodes.set(name, this.nodes.get(properties[name]!)!)
      if (nodes.size % propertiesPerStep === 0) yield
    }
    return nodes
  }

  #findComposition({ allOf, anyOf, oneOf, not }: Schema): Composition | undefined {
    if (allOf === undefined && anyOf === undefined && oneOf === undefined && not === undefined) return undefined
    const composition: Composition = {
      allOf: this.#findAll(allOf),
      anyOf: this.#findAll(anyOf),
      oneOf: this.#findAll(oneOf),
      not: this.#find(not),
    }
    return Object.values(composition).some((part) => part !== undefined) ? composition : undefined
  }

  #findAll(schemas: readonly Schema[] | undefined): readonly SchemaNode[] | undefined {
    return omitEmpty(schemas)?.map((part) => this.nodes.get(part)!)
  }

  /** Returns the node that is equal to a node, if there is one already. */
  #share(node: SchemaNode, constraintsId: number): SchemaNode {
    const key = this.#buildKey(node, constraintsId)
    const equalNode = this.#shared.get(key)
    if (equalNode !== undefined) return equalNode
    this.#shared.set(key, node)
    this.#ids.set(node, this.#ids.size + 1)
    return node
  }

  #buildKey(
    { flags, properties, additional, items, required, composition, default: value, listMapKeys }: SchemaNode,
    constraintsId: number,
  ): string {
    let key = `${flags} ${constraintsId} ${this.#getId(additional)} ${this.#getId(items)}`
    // Lengths make the text unambiguous, whatever characters the names have.
    if (properties !== undefined) for (const [name, child] of properties) key += ` ${name.length}:${name}${this.#getId(child)}`
    if (required !== undefined) key += ` r${JSON.stringify(required)}`
    if (composition !== undefined) key += ` a${JSON.stringify(this.#keyOfComposition(composition))}`
    if (value !== undefined) key += ` d${formatJsonKey(value.value)}`
    return listMapKeys === undefined ? key : `${key} k${JSON.stringify(listMapKeys)}`
  }

  #getId(node: SchemaNode | undefined): number {
    return node === undefined ? 0 : this.#ids.get(node)!
  }

  #keyOfComposition({ allOf = [], anyOf = [], oneOf = [], not }: Composition): unknown {
    return [...[allOf, anyOf, oneOf].map((nodes) => nodes.map((node) => this.#getId(node))), this.#getId(not)]
  }

  #shareConstraints(constraints: Constraints | undefined): SharedConstraints | undefined {
    if (constraints === undefined) return undefined
    const key = formatConstraintsKey(constraints)
    const equalConstraints = this.#constraints.get(key)
    if (equalConstraints !== undefined) return equalConstraints
    const shared = { constraints, id: this.#constraints.size + 1 }
    this.#constraints.set(key, shared)
    if (constraints.enum?.isIndexed === false) this.#unindexed.push(constraints.enum)
    return shared
  }
}

/** Constraints with a number that identifies them within a schema. */
interface SharedConstraints {
  readonly constraints: Constraints
  readonly id: number
}

function omitEmpty<Item>(items: readonly Item[] | undefined): readonly Item[] | undefined {
  return items === undefined || items.length === 0 ? undefined : items
}

function listNamesWithDefault(properties: ReadonlyMap<string, SchemaNode>): readonly string[] | undefined {
  const names = [...properties.keys()].filter((name) => properties.get(name)!.default !== undefined)
  return names.length === 0 ? undefined : names
}

function computeTypeFlags(schema: Schema, isForDefaults: boolean): number {
  if (schema['x-kubernetes-int-or-string'] === true) return isForDefaults ? 0 : Flag.integer | Flag.string | Flag.constrains
  const type = typeNames.indexOf(schema.type as (typeof typeNames)[number])
  return type < 0 ? 0 : (1 << type) | Flag.constrains
}

function computeOwnFlags(schema: Schema): number {
  let flags = 0
  if (schema.nullable === true) flags |= Flag.nullable
  if (schema['x-kubernetes-preserve-unknown-fields'] === true) flags |= Flag.preservesUnknown
  if (schema['x-kubernetes-embedded-resource'] === true) flags |= Flag.isEmbedded | Flag.hasEmbedded
  if (schema['x-kubernetes-list-type'] === 'set') flags |= Flag.isSet | Flag.hasKeyedLists
  if (schema['x-kubernetes-list-type'] === 'map') flags |= Flag.isMapList | Flag.hasKeyedLists
  if (schema.additionalProperties !== undefined) flags |= Flag.specifiesAdditional
  if (schema.additionalProperties === false) flags |= Flag.forbidsAdditional | Flag.constrains
  return flags
}

const constraintKeywords: readonly (keyof Constraints & keyof Schema)[] = [
  'format',
  'enum',
  'pattern',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'multipleOf',
  'minItems',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
]

function compileConstraints(schema: Schema, keepsAllFormats: boolean): Constraints | undefined {
  if (constraintKeywords.every((keyword) => schema[keyword] === undefined)) return undefined
  const format = schema.format === '' ? undefined : schema.format
  const constraints: Constraints = {
    format: keepsAllFormats || isSupportedFormat(schema) ? format : undefined,
    enum: schema.enum === undefined || schema.enum.length === 0 ? undefined : new AllowedValues(schema.enum as readonly JsonValue[]),
    pattern: schema.pattern === '' ? undefined : schema.pattern,
    minLength: schema.minLength,
    maxLength: schema.maxLength,
    minimum: schema.minimum,
    maximum: schema.maximum,
    exclusiveMinimum: schema.exclusiveMinimum === true,
    exclusiveMaximum: schema.exclusiveMaximum === true,
    multipleOf: schema.multipleOf,
    minItems: schema.minItems,
    maxItems: schema.maxItems,
    uniqueItems: schema.uniqueItems === true,
    minProperties: schema.minProperties,
    maxProperties: schema.maxProperties,
  }
  return Object.values(constraints).every((value) => value === undefined || value === false) ? undefined : constraints
}

function formatConstraintsKey(constraints: Constraints): string {
  return formatJsonKey(Object.values({ ...constraints, enum: constraints.enum?.values }))
}

/** Serializes a value so that only equal values have the same text. */
function formatJsonKey(value: unknown): string {
  try {
    return JSON.stringify(value) ?? ''
  } catch {
    // JSON.stringify cannot serialize bigints. Marks strings too, so that none equals the text of a bigint.
    return JSON.stringify(value, (_, member: unknown) => {
      return typeof member === 'bigint' ? `n${member}` : typeof member === 'string' ? `s${member}` : member
    })
  }
}

/** Returns the default as kube-apiserver sets it: without fields that are not in the schema, and with canonical metadata. */
function createPrunedDefault(value: JsonValue, node: SchemaNode): Default {
  if (typeof value !== 'object') return { value, size: stringifyJson(value).length }
  const pruned = copyObject(value)
  const isResource = has(node, Flag.isEmbedded)
  coerceEmbedded(pruned, node, { dropInvalid: true, isResource })
  pruneFields(pruned, node, isResource)
  return { value: pruned, size: stringifyJson(pruned).length }
}
