import { copyObject, newRequestEntityTooLarge, setOwn } from '@keelson/apimachinery'
import type { JsonValue } from '@keelson/apimachinery'
import { Flag, has } from './schema-node.ts'
import type { Default, JsonMembers, SchemaNode } from './schema-node.ts'

/**
 * Maximum total length of the defaults that are set in one object, in characters of JSON. It is the limit for the body of a request. Without a
 * limit, a list of many empty objects whose fields have large defaults could use up the memory.
 */
const maxTotalSize = 3 * 1024 * 1024

/** Length of the defaults that may still be set in the current object. Setting defaults is synchronous, so one variable is enough. */
let remaining = 0

/**
 * Sets absent fields to their default, and nulls of fields that are not nullable. Does not visit values whose schema has no default. Throws a
 * 413 if the defaults are too large.
 */
export function setDefaults(value: JsonValue, node: SchemaNode): void {
  remaining = maxTotalSize
  set(value, node)
}

function set(value: JsonValue, node: SchemaNode): void {
  if (!has(node, Flag.setsDefaults) || typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) setInItems(value, node.items)
  else setInMembers(value, node)
}

function setInItems(items: JsonValue[], node: SchemaNode | undefined): void {
  if (node === undefined) return
  for (let i = 0; i < items.length; i++) {
    if (mustReplace(items[i], node)) items[i] = copyDefault(node.default!)
    set(items[i]!, node)
  }
}

function setInMembers(value: JsonMembers, node: SchemaNode): void {
  for (const name of node.defaulted ?? []) {
    const property = node.properties!.get(name)!
    if (!Object.hasOwn(value, name) || mustReplace(value[name], property)) setOwn(value, name, copyDefault(property.default!))
  }
  for (const key in value) {
    const property = node.properties?.get(key)
    if (property !== undefined) set(value[key]!, property)
    else if (node.additional !== undefined) {
      if (mustReplace(value[key], node.additional)) setOwn(value, key, copyDefault(node.additional.default!))
      set(value[key]!, node.additional)
    }
  }
}

/** Returns whether the value is a null that the default replaces. */
function mustReplace(value: JsonValue | undefined, node: SchemaNode): boolean {
  return value === null && node.default !== undefined && !has(node, Flag.nullable)
}

function copyDefault({ value, size }: Default): JsonValue {
  remaining -= size
  if (remaining < 0) throw newRequestEntityTooLarge(`the defaults of the schema are larger than ${maxTotalSize} characters`)
  return copyObject(value)
}
