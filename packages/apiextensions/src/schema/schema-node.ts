import type { JsonValue } from '@keelson/apimachinery'
import type { AllowedValues } from './allowed-values.ts'

/** Bits of `SchemaNode.flags`. The lowest six are the allowed JSON types. No type bit means that every type is allowed. */
export const Flag = {
  object: 0x1,
  array: 0x2,
  integer: 0x4,
  string: 0x8,
  number: 0x10,
  boolean: 0x20,
  anyType: 0x3f,
  nullable: 0x40,
  preservesUnknown: 0x80,
  isEmbedded: 0x100,
  /** The schema has `additionalProperties`. */
  specifiesAdditional: 0x200,
  /** `additionalProperties: false` */
  forbidsAdditional: 0x400,
  isSet: 0x800,
  isMapList: 0x1000,
  /** The node or a node below has constraints, so that some value is invalid. */
  constrains: 0x2000,
  /** A node below has a default. */
  setsDefaults: 0x4000,
  /** The node or a node below is a list of type set or map. */
  hasKeyedLists: 0x8000,
  /** The node or a node below is an embedded resource. */
  hasEmbedded: 0x10000,
} as const

/** Names of the types in the order of their flags, which is that of messages. */
export const typeNames = ['object', 'array', 'integer', 'string', 'number', 'boolean'] as const

/** Constraints on numbers, strings and sizes. They are a separate object, because most nodes have none. */
export interface Constraints {
  readonly format: string | undefined
  readonly enum: AllowedValues | undefined
  readonly pattern: string | undefined
  readonly minLength: number | undefined
  readonly maxLength: number | undefined
  readonly minimum: number | undefined
  readonly maximum: number | undefined
  readonly exclusiveMinimum: boolean
  readonly exclusiveMaximum: boolean
  readonly multipleOf: number | undefined
  readonly minItems: number | undefined
  readonly maxItems: number | undefined
  readonly uniqueItems: boolean
  readonly minProperties: number | undefined
  readonly maxProperties: number | undefined
}

export interface Composition {
  readonly allOf: readonly SchemaNode[] | undefined
  readonly anyOf: readonly SchemaNode[] | undefined
  readonly oneOf: readonly SchemaNode[] | undefined
  readonly not: SchemaNode | undefined
}

export interface Default {
  readonly value: JsonValue
  /** Length of the value as JSON. */
  readonly size: number
}

/**
 * A compiled schema. Equal parts of one definition share a node: the pod templates of a large definition are then stored once. Nodes have no
 * descriptions. All nodes have the same hidden class, because every request reads them.
 */
export interface SchemaNode {
  readonly flags: number
  readonly properties: ReadonlyMap<string, SchemaNode> | undefined
  /** Schema of additional properties. */
  readonly additional: SchemaNode | undefined
  readonly items: SchemaNode | undefined
  readonly required: readonly string[] | undefined
  readonly constraints: Constraints | undefined
  readonly composition: Composition | undefined
  /** Undefined if the schema has no default, or the default null, which is the same. */
  readonly default: Default | undefined
  /** Names of the properties with a default. */
  readonly defaulted: readonly string[] | undefined
  readonly listMapKeys: readonly string[] | undefined
}

export type JsonMembers = { [key: string]: JsonValue }

export function has(node: SchemaNode, flag: number): boolean {
  return (node.flags & flag) !== 0
}

/** Returns the schema of a member of an object: that of the property, or else that of additional properties. */
export function getMemberNode(node: SchemaNode, key: string): SchemaNode | undefined {
  return node.properties?.get(key) ?? node.additional
}

/** Returns the types of a node in messages: "integer,string". */
export function formatTypes(node: SchemaNode): string {
  return typeNames.filter((_, i) => has(node, 1 << i)).join(',')
}

/** Returns whether a JSON value is an integer in Go: a safe integer, or a `bigint`. All other numbers are float64. */
export function isInteger(value: unknown): value is number | bigint {
  return typeof value === 'bigint' || Number.isSafeInteger(value)
}
