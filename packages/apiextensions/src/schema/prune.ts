import type { JsonValue } from '@keelson/apimachinery'
import { compareUtf8 } from '@keelson/apimachinery'
import { Flag, has, getMemberNode } from './schema-node.ts'
import type { JsonMembers, SchemaNode } from './schema-node.ts'

/**
 * Maximum number of reported paths. kube-apiserver has no limit, but the paths of many unknown fields can be far longer than the object itself.
 * Pruning itself has no limit.
 */
const maxPaths = 1000

/** Returns whether a member belongs to the metadata of a resource, which pruning keeps. */
function isMetaField(key: string): boolean {
  return key === 'apiVersion' || key === 'kind' || key === 'metadata'
}

/** The path of the current value, and the paths of the fields dropped so far. Validation is synchronous, so one instance is enough. */
class DroppedPaths {
  readonly steps: (string | number)[] = []
  paths: string[] = []

  record(key: string): void {
    if (this.paths.length === maxPaths) return
    let path = ''
    for (const step of this.steps) path += typeof step === 'number' ? `[${step}]` : path === '' ? step : `.${step}`
    this.paths.push(path === '' ? key : `${path}.${key}`)
  }

  take(): string[] {
    const { paths } = this
    if (paths.length > 0) this.paths = []
    return paths
  }
}

const dropped = new DroppedPaths()
const noPaths: string[] = []

/**
 * Removes the fields of an object that the schema does not specify. `isResource` is true for a whole resource, whose apiVersion, kind and
 * metadata are kept. Returns the sorted paths of the removed fields, at most 1,000.
 */
export function pruneFields(value: JsonValue, node: SchemaNode, isResource: boolean): readonly string[] {
  dropped.steps.length = 0
  prune(value, node, isResource)
  const paths = dropped.take()
  return paths.length === 0 ? noPaths : paths.sort(compareUtf8)
}

function prune(value: JsonValue, node: SchemaNode | undefined, isResource: boolean): void {
  if (typeof value !== 'object' || value === null) return
  if (node !== undefined && has(node, Flag.preservesUnknown)) pruneBelow(value, node, isResource)
  else if (Array.isArray(value)) pruneItems(value, node?.items)
  else if (node === undefined) dropAll(value)
  else pruneMembers(value, node, isResource)
}

function pruneItems(items: readonly JsonValue[], node: SchemaNode | undefined): void {
  const isEmbedded = node !== undefined && has(node, Flag.isEmbedded)
  for (let i = 0; i < items.length; i++) {
    dropped.steps.push(i)
    prune(items[i]!, node, isEmbedded)
    dropped.steps.pop()
  }
}

function dropAll(value: JsonMembers): void {
  for (const key in value) {
    dropped.record(key)
    delete value[key]
  }
}

function pruneMembers(value: JsonMembers, node: SchemaNode, isResource: boolean): void {
  for (const key in value) {
    if (isResource && isMetaField(key)) continue
    const member = getMemberNode(node, key)
    if (member !== undefined || has(node, Flag.specifiesAdditional)) pruneMember(value[key]!, key, member)
    else {
      if (dropped.steps.length > 0 || !isMetaField(key)) dropped.record(key)
      delete value[key]
    }
  }
}

function pruneMember(value: JsonValue, key: string, node: SchemaNode | undefined): void {
  if (typeof value !== 'object' || value === null) return
  dropped.steps.push(key)
  prune(value, node, node !== undefined && has(node, Flag.isEmbedded))
  dropped.steps.pop()
}

/** Prunes the specified fields of a value whose unspecified fields are kept. Lists in it also keep unspecified fields of their items. */
function pruneBelow(value: JsonValue, node: SchemaNode | undefined, isResource: boolean): void {
  if (node === undefined || typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) {
    const isEmbedded = node.items !== undefined && has(node.items, Flag.isEmbedded)
    for (let i = 0; i < value.length; i++) {
      dropped.steps.push(i)
      pruneBelow(value[i]!, node.items, isEmbedded)
      dropped.steps.pop()
    }
    return
  }
  for (const key in value) {
    if (isResource && isMetaField(key)) continue
    const member = getMemberNode(node, key)
    if (member !== undefined || has(node, Flag.specifiesAdditional)) pruneMember(value[key]!, key, member)
  }
}

export interface NullOptions {
  /** True to keep nulls of fields with a type, which validation rejects. Default: false. */
  readonly keepsInvalidNulls?: boolean
}

const allNulls: NullOptions = {}

/** Removes nulls of fields that are not nullable and have no default. `setDefaults` replaces those that have a default. */
export function pruneNulls(value: JsonValue, node: SchemaNode | undefined, options: NullOptions = allNulls): void {
  if (typeof value !== 'object' || value === null || node === undefined) return
  if (Array.isArray(value)) {
    if (node.items !== undefined) for (let i = 0; i < value.length; i++) pruneNulls(value[i]!, node.items, options)
    return
  }
  for (const key in value) {
    const member = getMemberNode(node, key)
    if (member === undefined) continue
    if (value[key] !== null) pruneNulls(value[key]!, member, options)
    else if (!has(member, Flag.nullable) && member.default === undefined) {
      if (options.keepsInvalidNulls !== true || !has(member, Flag.anyType)) delete value[key]
    }
  }
}
