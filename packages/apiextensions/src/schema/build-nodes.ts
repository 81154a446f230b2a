import { copyObject } from '@keelson/apimachinery'
import type { JsonValue } from '@keelson/apimachinery'
import type { JSONSchemaProps } from '@keelson/api/apiextensions/v1'
import { coerceEmbedded } from './embedded-resources.ts'
import { pruneFields } from './prune.ts'
import { isSupportedFormat } from './formats.ts'
import { Flag, has, typeNames } from './schema-node.ts'
import type { Composition, Constraints, SchemaNode } from './schema-node.ts'

/** Flags of a node that its parent also gets. */
const inherited = Flag.constrains | Flag.setsDefaults | Flag.hasKeyedLists | Flag.hasEmbedded

export interface BuildOptions {
  /**
   * True to build nodes that validate the defaults of a definition. kube-apiserver validates defaults with all formats, even those that it ignores
   * in requests, and does not check the type of int-or-string.
   */
  readonly isForDefaults?: boolean
  /** Called with each part of the schema and its node. */
  readonly onNode?: (schema: JSONSchemaProps, node: SchemaNode) => void
}

export function buildNode(schema: JSONSchemaProps, options: BuildOptions = {}): SchemaNode {
  return new NodeBuilder(options).build(schema)
}

/** Builds the nodes of one schema. Equal parts of the schema become one node. */
class NodeBuilder {
  readonly #options: BuildOptions
  readonly #nodes = new Map<string, SchemaNode>()
  readonly #ids = new Map<SchemaNode, number>()
  readonly #constraints = new Map<string, Constraints>()

  constructor(options: BuildOptions) {
    this.#options = options
  }

  build(schema: JSONSchemaProps): SchemaNode {
    const properties = this.#buildProperties(schema.properties)
    const { additionalProperties } = schema
    const additional = typeof additionalProperties === 'object' ? this.build(additionalProperties) : undefined
    const items = schema.items === undefined || Array.isArray(schema.items) ? undefined : this.build(schema.items)
    const composition = this.#buildComposition(schema)
    const isForDefaults = this.#options.isForDefaults === true
    const constraints = this.#shareConstraints(constraintsOf(schema, isForDefaults))
    const required = schema.required === undefined || schema.required.length === 0 ? undefined : schema.required
    const listMapKeys = schema['x-kubernetes-list-map-keys']
    const defaulted = properties === undefined ? undefined : namesWithDefault(properties)
    let flags = ownFlags(schema) | typeFlags(schema, isForDefaults)
    if (constraints !== undefined || composition !== undefined || required !== undefined) flags |= Flag.constrains
    if (defaulted !== undefined || items?.default !== undefined || additional?.default !== undefined) flags |= Flag.setsDefaults
    for (const child of properties?.values() ?? []) flags |= child.flags & inherited
    for (const child of [items, additional]) flags |= (child?.flags ?? 0) & inherited
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
      listMapKeys: listMapKeys?.length === 0 ? undefined : listMapKeys,
    }
    const hasDefault = schema.default !== undefined && schema.default !== null
    const shared = this.#share(hasDefault ? { ...node, default: prunedDefault(schema.default!, node) } : node)
    this.#options.onNode?.(schema, shared)
    return shared
  }

  #buildProperties(properties: JSONSchemaProps['properties']): ReadonlyMap<string, SchemaNode> | undefined {
    if (properties === undefined) return undefined
    const names = Object.keys(properties).sort()
    return names.length === 0 ? undefined : new Map(names.map((name) => [name, this.build(properties[name]!)] as const))
  }

  #buildComposition({ allOf, anyOf, oneOf, not }: JSONSchemaProps): Composition | undefined {
    const build = (schemas: readonly JSONSchemaProps[] | undefined): readonly SchemaNode[] | undefined =>
      schemas === undefined || schemas.length === 0 ? undefined : schemas.map((schema) => this.build(schema))
    const built = { allOf: build(allOf), anyOf: build(anyOf), oneOf: build(oneOf), not: not === undefined ? undefined : this.build(not) }
    return Object.values(built).some((part) => part !== undefined) ? built : undefined
  }

  #share(node: SchemaNode): SchemaNode {
    const key = JSON.stringify([
      node.flags,
      node.properties === undefined ? 0 : [...node.properties].map(([name, child]) => [name, this.#idOf(child)]),
      this.#idOf(node.additional),
      this.#idOf(node.items),
      node.required,
      node.constraints === undefined ? 0 : keyOfConstraints(node.constraints),
      node.composition === undefined ? 0 : this.#keyOfComposition(node.composition),
      keyOfJson(node.default),
      node.listMapKeys,
    ])
    const known = this.#nodes.get(key)
    if (known !== undefined) return known
    this.#nodes.set(key, node)
    this.#ids.set(node, this.#ids.size + 1)
    return node
  }

  #idOf(node: SchemaNode | undefined): number {
    return node === undefined ? 0 : this.#ids.get(node)!
  }

  #keyOfComposition({ allOf = [], anyOf = [], oneOf = [], not }: Composition): unknown {
    return [...[allOf, anyOf, oneOf].map((nodes) => nodes.map((node) => this.#idOf(node))), this.#idOf(not)]
  }

  #shareConstraints(constraints: Constraints): Constraints | undefined {
    if (Object.values(constraints).every((value) => value === undefined || value === false)) return undefined
    const key = keyOfConstraints(constraints)
    const known = this.#constraints.get(key)
    if (known === undefined) this.#constraints.set(key, constraints)
    return known ?? constraints
  }
}

function namesWithDefault(properties: ReadonlyMap<string, SchemaNode>): readonly string[] | undefined {
  const names = [...properties.keys()].filter((name) => properties.get(name)!.default !== undefined)
  return names.length === 0 ? undefined : names
}

function typeFlags(schema: JSONSchemaProps, isForDefaults: boolean): number {
  if (schema['x-kubernetes-int-or-string'] === true) return isForDefaults ? 0 : Flag.integer | Flag.string | Flag.constrains
  const type = typeNames.indexOf(schema.type as (typeof typeNames)[number])
  return type < 0 ? 0 : (1 << type) | Flag.constrains
}

function ownFlags(schema: JSONSchemaProps): number {
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

function constraintsOf(schema: JSONSchemaProps, keepsAllFormats: boolean): Constraints {
  const format = schema.format === '' ? undefined : schema.format
  return {
    format: keepsAllFormats || isSupportedFormat(schema) ? format : undefined,
    enum: schema.enum === undefined || schema.enum.length === 0 ? undefined : schema.enum,
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
}

function keyOfConstraints(constraints: Constraints): string {
  return keyOfJson(Object.values(constraints))
}

/** Serializes a value so that only equal values have the same text. */
function keyOfJson(value: unknown): string {
  return (
    JSON.stringify(value, (_, member: unknown) => (typeof member === 'bigint' ? `${member}n` : member === undefined ? '\0' : member)) ?? ''
  )
}

/** Returns the default as kube-apiserver sets it: without fields that are not in the schema, and with canonical metadata. Definitions with such defaults can be older than the check that rejects them. */
function prunedDefault(value: JsonValue, node: SchemaNode): JsonValue {
  if (typeof value !== 'object') return value
  const pruned = copyObject(value)
  const isResource = has(node, Flag.isEmbedded)
  coerceEmbedded(pruned, node, { dropInvalid: true, isResource })
  pruneFields(pruned, node, isResource)
  return pruned
}
