import { copyObject, setOwn } from '@keelson/apimachinery'
import type { JsonValue } from '@keelson/apimachinery'
import { Flag, has } from './schema-node.ts'
import type { JsonMembers, SchemaNode } from './schema-node.ts'

/** Sets absent fields to their default, and nulls of fields that are not nullable. Does not visit values whose schema has no default. */
export function setDefaults(value: JsonValue, node: SchemaNode): void {
  if (!has(node, Flag.setsDefaults) || typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) setInItems(value, node.items)
  else setInMembers(value, node)
}

function setInItems(items: JsonValue[], node: SchemaNode | undefined): void {
  if (node === undefined) return
  for (let i = 0; i < items.length; i++) {
    if (mustReplace(items[i], node)) items[i] = copyObject(node.default!)
    setDefaults(items[i]!, node)
  }
}

function setInMembers(value: JsonMembers, node: SchemaNode): void {
  for (const name of node.defaulted ?? []) {
    const property = node.properties!.get(name)!
    if (!Object.hasOwn(value, name) || mustReplace(value[name], property)) setOwn(value, name, copyObject(property.default!))
  }
  for (const key in value) {
    const property = node.properties?.get(key)
    if (property !== undefined) setDefaults(value[key]!, property)
    else if (node.additional !== undefined) {
      if (mustReplace(value[key], node.additional)) setOwn(value, key, copyObject(node.additional.default!))
      setDefaults(value[key]!, node.additional)
    }
  }
}

/** Returns whether the value is a null that the default replaces. */
function mustReplace(value: JsonValue | undefined, node: SchemaNode): boolean {
  return value === null && node.default !== undefined && !has(node, Flag.nullable)
}
