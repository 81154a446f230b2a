import { compareElements, createFieldElement, normalizeElement, sortElements } from './path-element.ts'
import type { PathElement } from './path-element.ts'

/**
 * A set of field paths in the JSON format of `fieldsV1`, as a tree of nodes. The path of a node is in the set if the node is empty or has the
 * child ".". The other children of a node are path elements in the order of fieldsV1. The path of the root is never in the set. Sets need no
 * decoding, and several sets can share nodes.
 *
 *     spec.replicas, metadata.labels, metadata.labels.app
 *     {"f:metadata":{"f:labels":{".":{},"f:app":{}}},"f:spec":{"f:replicas":{}}}
 *
 * Only this file, and builders that add elements in order, may rely on the fact that nodes are plain objects.
 */
export interface FieldSet {
  readonly [element: PathElement]: FieldSet
}

type Node = { [element: PathElement]: FieldSet }

const self = '.'

/** The node of a path without longer paths below it. As the root, it is the empty set. */
export const leaf: FieldSet = Object.freeze({})

export function isMember(node: FieldSet): boolean {
  if (node === leaf || node[self] !== undefined) return true
  // Only reached by nodes that are no members, or empty. A loop over a large node would list all of its keys first.
  for (const _ in node) return false
  return true
}

/** Returns the path elements below a node, in the order of fieldsV1. */
export function listElements(node: FieldSet): readonly PathElement[] {
  const keys = Object.keys(node)
  return keys[0] === self ? keys.slice(1) : keys
}

/** Returns whether a set has no paths. Only valid for a root, because all other nodes contain at least one path. */
export function isEmptySet(set: FieldSet): boolean {
  for (const _ in set) return false
  return true
}

/** Builds a node of a field set. Children must be added in the order of fieldsV1. */
export class NodeBuilder {
  readonly #member: boolean
  #node: Node | undefined

  constructor(member: boolean) {
    this.#member = member
  }

  /** True after the first child was added. `build` then returns a node that gets the children that are added later. */
  get hasNode(): boolean {
    return this.#node !== undefined
  }

  add(element: PathElement, child: FieldSet | undefined): void {
    if (child === undefined) return
    this.#node ??= this.#member ? { '.': leaf } : {}
    this.#node[element] = child
  }

  /** Returns the node; undefined if the node is no member and has no children. */
  build(): FieldSet | undefined {
    return this.#node ?? (this.#member ? leaf : undefined)
  }
}

/** Calls `visit` with each path element of either node, in the order of fieldsV1. */
function zip(
  a: FieldSet,
  b: FieldSet,
  visit: (element: PathElement, left: FieldSet | undefined, right: FieldSet | undefined) => void,
): void {
  const left = listElements(a)
  const right = listElements(b)
  let i = 0
  let j = 0
  while (i < left.length || j < right.length) {
    const order = i >= left.length ? 1 : j >= right.length ? -1 : compareElements(left[i]!, right[j]!)
    if (order <= 0) {
      const element = left[i++]!
      if (order === 0) j++
      visit(element, a[element], order === 0 ? b[element] : undefined)
    } else {
      const element = right[j++]!
      visit(element, undefined, b[element])
    }
  }
}

export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b || isEmptySet(b)) return a
  return isEmptySet(a) ? b : unionNodes(a, b, false)!
}

/** Returns the union of many sets. Merges sets in pairs, because adding each set to a growing one takes quadratic time. */
export function uniteSets(sets: readonly FieldSet[]): FieldSet {
  let remaining = sets
  while (remaining.length > 1) {
    const joined: FieldSet[] = []
    for (let i = 0; i < remaining.length; i += 2) joined.push(union(remaining[i]!, remaining[i + 1] ?? leaf))
    remaining = joined
  }
  return remaining[0] ?? leaf
}

function unionNodes(a: FieldSet, b: FieldSet, member: boolean): FieldSet | undefined {
  const node = new NodeBuilder(member)
  zip(a, b, (element, left, right) => {
    if (left === undefined || right === undefined) node.add(element, left ?? right)
    else node.add(element, left === right ? left : unionNodes(left, right, isMember(left) || isMember(right)))
  })
  return node.build()
}

/** Returns the paths that are in both sets. Iterates over `a` only, so `a` should be the smaller set. */
export function intersectSets(a: FieldSet, b: FieldSet): FieldSet {
  return intersectNodes(a, b, false) ?? leaf
}

function intersectNodes(a: FieldSet, b: FieldSet, member: boolean): FieldSet | undefined {
  const node = new NodeBuilder(member)
  for (const element of listElements(a)) {
    const left = a[element]!
    const right = b[element]
    if (right !== undefined) node.add(element, left === right ? left : intersectNodes(left, right, isMember(left) && isMember(right)))
  }
  return node.build()
}

/** Returns the paths of `a` that are not in `b`. A path in `b` does not remove the paths below it. */
export function subtractSet(a: FieldSet, b: FieldSet): FieldSet {
  return subtract(a, b, false, false) ?? leaf
}

/** Returns the paths of `a` that are neither in `b` nor below a path in `b`. */
export function subtractRecursively(a: FieldSet, b: FieldSet): FieldSet {
  return subtract(a, b, false, true) ?? leaf
}

function subtract(a: FieldSet, b: FieldSet, member: boolean, recursive: boolean): FieldSet | undefined {
  // Copies the children only when the first one changes, because usually few paths are removed.
  let rests: Map<PathElement, FieldSet | undefined> | undefined
  for (const element of listElements(b)) {
    const left = a[element]
    if (left === undefined) continue
    const right = b[element]!
    const isRemoved = isMember(right)
    const difference = isRemoved && recursive ? undefined : subtract(left, right, isMember(left) && !isRemoved, recursive)
    if (difference !== left) (rests ??= new Map()).set(element, difference)
  }
  if (rests === undefined && member === isMember(a)) return a
  const node = new NodeBuilder(member)
  for (const element of listElements(a)) node.add(element, rests?.has(element) === true ? rests.get(element) : a[element])
  return node.build()
}

/** Returns the paths of a set that have no longer paths below them. */
export function leaves(set: FieldSet): FieldSet {
  return keepLeaves(set) ?? leaf
}

function keepLeaves(set: FieldSet): FieldSet | undefined {
  const node = new NodeBuilder(false)
  for (const element of listElements(set)) {
    const child = set[element]!
    node.add(element, listElements(child).length === 0 ? leaf : keepLeaves(child))
  }
  return node.build()
}

export function hasPath(set: FieldSet, path: readonly PathElement[]): boolean {
  let node: FieldSet | undefined = set
  for (const element of path) {
    node = node[element]
    if (node === undefined) return false
  }
  return path.length > 0 && isMember(node)
}

/** Lists the paths of a set in the order of fieldsV1. A path precedes the paths below it. */
export function listPaths(set: FieldSet): PathElement[][] {
  const paths: PathElement[][] = []
  const visit = (node: FieldSet, prefix: readonly PathElement[]): void => {
    const elements = listElements(node)
    for (const element of elements) if (isMember(node[element]!)) paths.push([...prefix, element])
    for (const element of elements) visit(node[element]!, [...prefix, element])
  }
  visit(set, [])
  return paths
}

export function equalsSet(a: FieldSet, b: FieldSet): boolean {
  if (a === b) return true
  const elements = listElements(a)
  if (elements.length !== listElements(b).length) return false
  return elements.every((element) => {
    const left = a[element]!
    const right = b[element]
    return right !== undefined && isMember(left) === isMember(right) && equalsSet(left, right)
  })
}

/** Returns whether `superset` contains all paths of `subset`. */
export function containsSet(superset: FieldSet, subset: FieldSet): boolean {
  if (superset === subset) return true
  for (const element of listElements(subset)) {
    const here = superset[element]
    const child = subset[element]!
    if (here === undefined || (isMember(child) && !isMember(here)) || !containsSet(here, child)) return false
  }
  return true
}

export function setOfPaths(paths: Iterable<readonly PathElement[]>): FieldSet {
  const sets: FieldSet[] = []
  for (const path of paths) {
    let node: FieldSet = leaf
    for (let i = path.length - 1; i >= 0; i--) node = { [path[i]!]: node }
    sets.push(node)
  }
  return uniteSets(sets)
}

/** Returns the set of these fields: `createFieldSet('spec', 'metadata.labels')`. */
export function createFieldSet(...paths: readonly string[]): FieldSet {
  return setOfPaths(paths.map((path) => path.split('.').map(createFieldElement)))
}

/** Converts the fieldsV1 of a client to a normalized `FieldSet`. Throws TypeError if it is invalid. */
export function normalizeFieldSet(value: unknown): FieldSet {
  return normalizeNode(value, 0) ?? leaf
}

/** Maximum depth of a set. No real object is nearly as deep, and deeper sets would slow down every later write. */
const maxDepth = 500

function normalizeNode(value: unknown, depth: number): FieldSet | undefined {
  const nested = depth > 0
  if (depth > maxDepth) throw new TypeError('field set is nested too deeply')
  if (value === null || value === undefined) return nested ? leaf : undefined
  if (typeof value !== 'object' || Array.isArray(value)) throw new TypeError('field set must be an object')
  const children = new Map<PathElement, FieldSet>()
  let member = false
  for (const key of Object.keys(value)) {
    if (key === self) {
      member = true
      continue
    }
    const element = normalizeElement(key)
    if (element === undefined) continue
    const child = normalizeNode((value as { [key: string]: unknown })[key], depth + 1)!
    const existing = children.get(element)
    children.set(element, existing === undefined ? child : unionNodes(existing, child, isMember(existing) || isMember(child))!)
  }
  const node = new NodeBuilder(nested && (member || children.size === 0))
  for (const element of sortElements([...children.keys()])) node.add(element, children.get(element))
  return node.build()
}

/** A function that removes fields from a set, for example those that an endpoint resets. */
export type FieldFilter = (set: FieldSet) => FieldSet

/** Returns a filter that removes these fields and everything below them: `withoutFields('status', 'metadata.labels')`. */
export function withoutFields(...paths: readonly string[]): FieldFilter {
  const reset = createFieldSet(...paths)
  return (set) => subtractRecursively(set, reset)
}
