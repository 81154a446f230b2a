import { isJsonObject } from '../json-value.ts'
import type { JsonValue } from '../meta.ts'
import type { Task } from '../task.ts'
import { hasEmptyMarks } from '../decode-context.ts'
import { compareUtf8 } from '../utf8-order.ts'
import { equalsValue, createFieldElement, sortElements } from './path-element.ts'
import { leaf, NodeBuilder } from './field-set.ts'
import type { FieldSet } from './field-set.ts'
import { indexItems, listElement, sortItems } from './list-element.ts'
import { resolveType } from './merge-type.ts'
import type { MergeList, MergeMap, MergeType, ResolvedType } from './merge-type.ts'
import type { PathElement } from './path-element.ts'

/** The differences between two states of an object, as three disjoint sets of fields. */
export interface Comparison {
  readonly added: FieldSet
  readonly modified: FieldSet
  readonly removed: FieldSet
}

/** Result of comparing the children of one node. An undefined set is empty. */
interface NodeComparison {
  readonly added: FieldSet | undefined
  readonly modified: FieldSet | undefined
  readonly removed: FieldSet | undefined
}

type Members = { readonly [name: string]: JsonValue }

/**
 * Compares two values of a type. Returns undefined if they are equal. Throws `TypedError` if items of a list cannot be identified. With
 * `detectsEmpty`, an atomic list also counts as changed if its items contain members that the client sent as `{}` or `[]`.
 */
export function compareValuesOfType(type: MergeType, from: JsonValue, to: JsonValue, detectsEmpty = false): Comparison | undefined {
  const { added = leaf, modified = leaf, removed = leaf } = compareNode(type, from, to, detectsEmpty) ?? unchanged
  return added === leaf && modified === leaf && removed === leaf ? undefined : { added, modified, removed }
}

/** An object with many members, some of which are not yet in its field set. */
interface WideObject {
  readonly type: MergeMap
  readonly members: Members
  /** All names of members, in the order of field sets. */
  readonly names: readonly string[]
  next: number
  readonly node: NodeBuilder
}

/** Number of members of an object that are added to its field set in one step. */
const membersPerStep = 1000

/** The wide objects that a comparison in steps has found. A step is synchronous, so one variable is enough. Undefined without steps. */
let wideObjects: WideObject[] | undefined

/** Compares values like `compareValuesOfType`. Lists the members of wide objects that exist only before or only after the change in steps. */
export function* compareStepwise(type: MergeType, from: JsonValue, to: JsonValue, detectsEmpty = false): Task<Comparison | undefined> {
  const found: WideObject[] = []
  const collect = <T>(run: () => T): T => {
    wideObjects = found
    try {
      return run()
    } finally {
      wideObjects = undefined
    }
  }
  const comparison = collect(() => compareValuesOfType(type, from, to, detectsEmpty))
  while (found.length > 0) {
    yield
    const wide = found.pop()!
    collect(() => addNamedMembers(wide, wide.next + membersPerStep))
  }
  return comparison
}

const unchanged: NodeComparison = { added: undefined, modified: undefined, removed: undefined }
const changed: NodeComparison = { added: undefined, modified: leaf, removed: undefined }

function compareNode(type: MergeType, from: JsonValue, to: JsonValue, detectsEmpty: boolean): NodeComparison | undefined {
  // Most values of an object are unchanged, and a test for equality is cheaper than a full comparison.
  if (equalsValue(from, to) && !(detectsEmpty && containsSentEmpty(to))) return undefined
  const before = resolveType(type, from)
  // A null has the type of the other value.
  const resolved = to === null ? before : resolveType(type, to)
  if (resolved.kind !== before.kind && from !== null && to !== null) return compareKinds(before, resolved, from, to)
  switch (resolved.kind) {
    case 'scalar':
      return changed
    case 'list':
      return resolved.relationship === 'atomic' || (isEmptyList(from) && isEmptyList(to))
        ? changed
        : compareLists(resolved, toItems(from), toItems(to), detectsEmpty)
    case 'map':
      return resolved.atomic || (isEmptyMap(from) && isEmptyMap(to)) ? changed : compareMaps(resolved, from, to, detectsEmpty)
  }
}

/** Returns whether an item of a list contains members that the client sent as `{}` or `[]`. */
function containsSentEmpty(value: JsonValue): boolean {
  if (typeof value !== 'object' || value === null) return false
  return Array.isArray(value) ? hasEmptyMarks(value) : Object.values(value).some(containsSentEmpty)
}

/** Compares values of different kinds (scalar, list, map), which a schema of any type allows. Such values have no children in common. */
function compareKinds(before: ResolvedType, after: ResolvedType, from: JsonValue, to: JsonValue): NodeComparison {
  return { added: listFieldsBelow(after, to), modified: leaf, removed: listFieldsBelow(before, from) }
}

function listFieldsBelow(type: ResolvedType, value: JsonValue): FieldSet | undefined {
  if (type.kind !== 'map' || type.atomic) return undefined
  const node = new NodeBuilder(false)
  addMembers(type, value as Members, node)
  return node.build()
}

function toItems(value: JsonValue): readonly JsonValue[] {
  return Array.isArray(value) ? value : []
}

function toMembers(value: JsonValue): Members {
  return isJsonObject(value) ? value : {}
}

function isEmptyList(value: JsonValue): boolean {
  return !Array.isArray(value) || value.length === 0
}

export function isEmptyMap(value: JsonValue): boolean {
  if (!isJsonObject(value)) return true
  for (const key in value) if (value[key] !== undefined) return false
  return true
}

/** Builds the three sets of a comparison for one node. Its children must be added in the order of path elements. */
class ComparisonBuilder {
  readonly added: NodeBuilder = new NodeBuilder(false)
  readonly modified: NodeBuilder = new NodeBuilder(false)
  readonly removed: NodeBuilder = new NodeBuilder(false)
  readonly #detectsEmpty: boolean
  #differs = false

  constructor(detectsEmpty: boolean) {
    this.#detectsEmpty = detectsEmpty
  }

  compare(element: PathElement, type: MergeType, from: JsonValue | undefined, to: JsonValue | undefined): void {
    if (from === undefined || to === undefined) {
      if (from === undefined && to === undefined) return
      this.#differs = true
      if (to !== undefined) this.added.add(element, listAllFields(type, to))
      else this.removed.add(element, listAllFields(type, from!))
      return
    }
    const fieldsBelow = compareNode(type, from, to, this.#detectsEmpty)
    if (fieldsBelow === undefined) return
    this.#differs = true
    this.added.add(element, fieldsBelow.added)
    this.modified.add(element, fieldsBelow.modified)
    this.removed.add(element, fieldsBelow.removed)
  }

  /** Compares the items of a list that have the same identity. The items of each side count together as one leaf. */
  compareRepeated(element: PathElement, type: MergeType, from: readonly JsonValue[], to: readonly JsonValue[]): void {
    if (from.length < 2 && to.length < 2) {
      this.compare(element, type, from[0], to[0])
      return
    }
    if (from.length > 1 && to.length > 1) {
      if (equalsValue(from, to)) return
      this.modified.add(element, leaf)
    } else if (from.length > 1) {
      if (to.length > 0) this.added.add(element, listAllFields(type, to[0]!))
      this.removed.add(element, leaf)
    } else {
      if (from.length > 0) this.removed.add(element, listAllFields(type, from[0]!))
      this.added.add(element, leaf)
    }
    this.#differs = true
  }

  build(): NodeComparison | undefined {
    return this.#differs ? { added: this.added.build(), modified: this.modified.build(), removed: this.removed.build() } : undefined
  }
}

function compareMaps(type: MergeMap, fromValue: JsonValue, toValue: JsonValue, detectsEmpty: boolean): NodeComparison | undefined {
  const from = toMembers(fromValue)
  const to = toMembers(toValue)
  const builder = new ComparisonBuilder(detectsEmpty)
  if (hasFewFields(type)) {
    for (const { name, element, type: fieldType } of type.fields) builder.compare(element, fieldType, from[name], to[name])
    return builder.build()
  }
  for (const name of sortKeys(includesKeys(to, from) ? to : { ...from, ...to })) {
    const field = type.byName.get(name)
    const memberType = field?.type ?? type.values
    if (memberType === undefined) continue
    builder.compare(field?.element ?? createFieldElement(name), memberType, readMember(from, name), readMember(to, name))
  }
  return builder.build()
}

/** Maximum number of fields that are looked up in an object. The members of an object are looked up in a type with more fields. */
const maxListedFields = 200

/** Returns whether all members of an object can be found by reading the fields of its type, which are sorted already. */
function hasFewFields({ values, byName }: MergeMap): boolean {
  return values === undefined && byName.size <= maxListedFields
}

/** Returns whether `members` has all keys of `otherMembers`. Most writes remove no key, and then the keys need not be joined. */
function includesKeys(members: Members, otherMembers: Members): boolean {
  for (const key in otherMembers) if (!Object.hasOwn(members, key)) return false
  return true
}

function readMember(members: Members, name: string): JsonValue | undefined {
  return Object.hasOwn(members, name) ? members[name] : undefined
}

/** Returns the keys of an object in byte order. Avoids sorting keys that are already in this order, which is the usual case. */
export function sortKeys(members: Members): readonly string[] {
  const keys = Object.keys(members)
  for (let i = 1; i < keys.length; i++) if (compareUtf8(keys[i - 1]!, keys[i]!) > 0) return keys.sort(compareUtf8)
  return keys
}

function compareLists(
  type: MergeList,
  from: readonly JsonValue[],
  to: readonly JsonValue[],
  detectsEmpty: boolean,
): NodeComparison | undefined {
  if (from.length === 1 && to.length === 1) {
    const element = listElement(type, to[0]!)
    if (listElement(type, from[0]!) === element) {
      const builder = new ComparisonBuilder(detectsEmpty)
      builder.compare(element, type.items, from[0], to[0])
      return builder.build()
    }
  }
  const left = indexItems(type, from)
  const right = indexItems(type, to)
  const elements = sortElements([...left.order, ...right.order.filter((element) => !left.items.has(element))])
  const builder = new ComparisonBuilder(detectsEmpty)
  for (const element of elements)
    builder.compareRepeated(element, type.items, left.items.get(element) ?? [], right.items.get(element) ?? [])
  return builder.build()
}

/** Returns all paths of a value that exists only before or only after a change. */
function listAllFields(type: MergeType, value: JsonValue): FieldSet {
  const resolved = resolveType(type, value)
  if (resolved.kind === 'scalar') return leaf
  const node = new NodeBuilder(true)
  if (resolved.kind === 'list') {
    if (resolved.relationship === 'atomic' || isEmptyList(value)) return leaf
    addItems(resolved, value as JsonValue[], node)
  } else {
    if (resolved.atomic || !isJsonObject(value)) return leaf
    addMembers(resolved, value, node)
  }
  return node.build()!
}

function addMembers(type: MergeMap, members: Members, node: NodeBuilder): void {
  if (hasFewFields(type)) {
    for (const { name, element, type: fieldType } of type.fields) {
      const member = members[name]
      if (member !== undefined) node.add(element, listAllFields(fieldType, member))
    }
    return
  }
  addNamedMembers({ type, members, names: sortKeys(members), next: 0, node }, membersPerStep)
}

/** Adds the members of an object up to position `end` to its field set. In steps, the others follow in later steps. */
function addNamedMembers(object: WideObject, end: number): void {
  const { type, members, names, node } = object
  for (; object.next < names.length; object.next++) {
    // The node must exist before a later step adds members to it.
    if (object.next >= end && wideObjects !== undefined && node.hasNode) {
      wideObjects.push(object)
      return
    }
    const name = names[object.next]!
    const field = type.byName.get(name)
    const memberType = field?.type ?? type.values
    const member = members[name]
    if (memberType !== undefined && member !== undefined)
      node.add(field?.element ?? createFieldElement(name), listAllFields(memberType, member))
  }
}

function addItems(type: MergeList, list: readonly JsonValue[], node: NodeBuilder): void {
  const sorted = sortItems(type, list)
  if (sorted !== undefined) {
    for (const { element, item } of sorted) node.add(element, listAllFields(type.items, item))
    return
  }
  const { order, items } = indexItems(type, list)
  for (const element of sortElements(order)) {
    const item = items.get(element)!
    node.add(element, item.length > 1 ? leaf : listAllFields(type.items, item[0]!))
  }
}
