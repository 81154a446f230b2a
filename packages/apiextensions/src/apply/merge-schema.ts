import type { JSONSchemaProps } from '@keelson/api/apiextensions/v1'
import { metaV1 } from '@keelson/api/meta/v1'
import { compareUtf8, finishTask } from '@keelson/apimachinery'
import type { Task } from '@keelson/apimachinery'
import { createFieldElement, getMergeType, mergeTypes } from '@keelson/apimachinery/managed-fields'
import type { MergeAny, MergeField, MergeList, MergeMap, MergeType, PathElement } from '@keelson/apimachinery/managed-fields'

/**
 * Returns the schema by which server-side apply merges custom objects. `schema` returns the schema of one version of a definition. It is called
 * when an object of a new shape is merged, and its result is not kept: only the nodes of this merge schema that objects use stay in memory.
 * Each call must return the same schema. `decode` returns the same schema, and decodes it in steps. Without a schema,
 * maps are merged member by member and lists are atomic.
 *
 * @example
 * const mergeType = toMergeSchema(() => parseDefinition(bytes).spec.versions[0].schema.openAPIV3Schema)
 */
export function toMergeSchema(schema: (() => JSONSchemaProps) | undefined, decode?: () => Task<JSONSchemaProps | undefined>): MergeType {
  if (schema === undefined) return mergeTypes.deduced
  return new ObjectType((root) => root, { atomic: false, keepsUnknown: false, isResource: true, load: schema, decode })
}

/** Returns the schema of a value within the schema of the version. */
type Select = (root: JSONSchemaProps) => JSONSchemaProps

interface Context {
  /** True if an object around this one has `x-kubernetes-preserve-unknown-fields`, which also applies to the objects in it. */
  readonly keepsUnknown: boolean
  /** Returns the schema of the version. */
  readonly load: () => JSONSchemaProps
  readonly decode: (() => Task<JSONSchemaProps | undefined>) | undefined
}

interface ObjectTypeOptions extends Context {
  readonly atomic: boolean
  /** True for the root and for embedded resources, whose apiVersion, kind and metadata have the types of all resources. */
  readonly isResource: boolean
}

type Members = Pick<MergeMap, 'fields' | 'byName' | 'byElement' | 'values'>

/** Merge schema of an object. Its members are built on first use, because most parts of large schemas are never used. */
class ObjectType implements MergeMap {
  readonly kind = 'map'
  readonly #select: Select
  readonly #options: ObjectTypeOptions
  #members: Members | undefined

  constructor(select: Select, options: ObjectTypeOptions) {
    this.#select = select
    this.#options = options
  }

  get atomic(): boolean {
    return this.#options.atomic
  }

  get fields(): readonly MergeField[] {
    return this.#getBuilt().fields
  }

  get byName(): ReadonlyMap<string, MergeField> {
    return this.#getBuilt().byName
  }

  get byElement(): ReadonlyMap<PathElement, MergeField> {
    return this.#getBuilt().byElement
  }

  get values(): MergeType | undefined {
    return this.#getBuilt().values
  }

  #getBuilt(): Members {
    return (this.#members ??= finishTask(createMembers(this.#options.load(), this.#select, this.#options)))
  }

  *prepare(): Task<void> {
    if (this.#members !== undefined) return
    const { load, decode } = this.#options
    const root = decode === undefined ? load() : yield* decode()
    if (root === undefined) return
    yield
    const members = yield* createMembers(root, this.#select, this.#options)
    // The members may have been built during a pause.
    this.#members ??= members
  }
}

/** Number of members whose merge schemas are created in one step. */
const membersPerStep = 1000

function* createMembers(root: JSONSchemaProps, select: Select, options: ObjectTypeOptions): Task<Members> {
  const schema = select(root)
  const { isResource, load, decode } = options
  const context = { keepsUnknown: options.keepsUnknown || schema['x-kubernetes-preserve-unknown-fields'] === true, load, decode }
  const byName = new Map<string, MergeField>()
  const add = (name: string, type: MergeType): void => void byName.set(name, { name, element: createFieldElement(name), type })
  const { properties = {} } = schema
  for (const name of Object.keys(properties)) {
    add(
      name,
      toMergeType(properties[name]!, (version) => select(version).properties![name]!, context),
    )
    if (byName.size % membersPerStep === 0) yield
  }
  if (isResource) for (const [name, type] of listResourceTypes()) add(name, type)
  let fields: readonly MergeField[] | undefined
  let byElement: ReadonlyMap<PathElement, MergeField> | undefined
  return {
    byName,
    // Creates of objects do not need the others.
    get fields() {
      return (fields ??= [...byName.values()].sort((a, b) => compareUtf8(a.name, b.name)))
    },
    get byElement() {
      return (byElement ??= new Map(Array.from(byName.values(), (field) => [field.element, field])))
    },
    values: createValues(schema, select, { ...context, isClosed: byName.size > 0 }),
  }
}

/** Returns the type of members that are not in `properties`; undefined if there must be none. */
function createValues(
  { additionalProperties }: JSONSchemaProps,
  select: Select,
  { isClosed, ...context }: Context & { readonly isClosed: boolean },
): MergeType | undefined {
  if (typeof additionalProperties === 'object') {
    return toMergeType(additionalProperties, (version) => select(version).additionalProperties as JSONSchemaProps, context)
  }
  if (additionalProperties !== undefined) return additionalProperties ? mergeTypes.deduced : undefined
  return context.keepsUnknown || !isClosed ? mergeTypes.deduced : undefined
}

/** Returns the merge schema of a value. `select` finds `schema` again when the members of an object are built. */
function toMergeType(schema: JSONSchemaProps, select: Select, context: Context): MergeType {
  switch (schema.type ?? '') {
    case 'integer':
    case 'number':
      return mergeTypes.numeric
    case 'boolean':
      return mergeTypes.boolean
    case 'string':
      return (schema.format ?? '') === '' || schema.format === 'byte' ? mergeTypes.text : mergeTypes.untyped
    case 'array':
      return toListType(schema, select, context)
    case 'object':
      return toObjectType(schema, select, context)
    case '':
      return toAnyType(schema, select, context)
    default:
      return mergeTypes.untyped
  }
}

function toObjectType(schema: JSONSchemaProps, select: Select, context: Context): ObjectType {
  return new ObjectType(select, {
    atomic: schema['x-kubernetes-map-type'] === 'atomic',
    ...context,
    isResource: schema['x-kubernetes-embedded-resource'] === true,
  })
}

/** Returns the merge schema of a value without a type, such as an integer or string, or a value with `x-kubernetes-preserve-unknown-fields`. */
function toAnyType(schema: JSONSchemaProps, select: Select, context: Context): MergeAny {
  const isPlain =
    schema.properties === undefined &&
    schema.additionalProperties === undefined &&
    schema['x-kubernetes-map-type'] === undefined &&
    schema['x-kubernetes-embedded-resource'] !== true
  return isPlain ? mergeTypes.deduced : { kind: 'any', map: toObjectType(schema, select, context) }
}

function toListType(schema: JSONSchemaProps, select: Select, outer: Context): MergeList {
  const items = schema.items as JSONSchemaProps | undefined
  const keepsUnknown = outer.keepsUnknown || schema['x-kubernetes-preserve-unknown-fields'] === true
  const listType = schema['x-kubernetes-list-type']
  const keys = listType === 'map' ? (schema['x-kubernetes-list-map-keys'] ?? []) : []
  return {
    kind: 'list',
    relationship: listType === 'map' ? 'keyed' : listType === 'set' ? 'set' : 'atomic',
    keys: keys.toSorted(compareUtf8).map((name) => ({ name, default: items?.properties?.[name]?.default })),
    items:
      items === undefined
        ? mergeTypes.opaque
        : toMergeType(items, (version) => select(version).items as JSONSchemaProps, { ...outer, keepsUnknown }),
  }
}

let ofResources: readonly (readonly [string, MergeType])[] | undefined

function listResourceTypes(): readonly (readonly [string, MergeType])[] {
  return (ofResources ??= [
    ['apiVersion', mergeTypes.text],
    ['kind', mergeTypes.text],
    ['metadata', getMergeType(metaV1.table.resolve('ObjectMeta'))],
  ])
}
