import { compareElements, fieldElement, normalizeElement, sortElements } from './path-element.ts'
import type { PathElement } from './path-element.ts'

/**
 * A set of paths, in the very form of `fieldsV1`: a node is a member when it is empty or has the child ".", its other children are
 * elements in order. Nothing is decoded or encoded, and what two sets have in common they share. The root is no member.
 *
 *     spec.replicas, metadata.labels, metadata.labels.app
 *     {"f:metadata":{"f:labels":{".":{},"f:app":{}}},"f:spec":{"f:replicas":{}}}
 *
 * Only this file, and what builds a set in order, may rely on a node being a plain object.
 */
export interface FieldSet {
  readonly [element: PathElement]: FieldSet
}

type Node = { [element: PathElement]: FieldSet }

const self = '.'

/** A member without children; as a root, the empty set. */
export const leaf: FieldSet = Object.freeze({})

export function isMember(node: FieldSet): boolean {
  for (const first in node) return first === self || node[self] !== undefined
  return true
}

/** The elements below a node, in order. */
export function elementsOf(node: FieldSet): readonly PathElement[] {
  const keys = Object.keys(node)
  return keys[0] === self ? keys.slice(1) : keys
}

/** Of a root. A node of another kind is never without members. */
export function isEmptySet(set: FieldSet): boolean {
  for (const _ in set) return false
  return true
}

/** Collects a node's children, which come in order. */
export class NodeBuilder {
  readonly #member: boolean
  #node: Node | undefined

  constructor(member: boolean) {
    this.#member = member
  }

  add(element: PathElement, child: FieldSet | undefined): void {
    if (child === undefined) return
    this.#node ??= this.#member ? { '.': leaf } : {}
    this.#node[element] = child
  }

  /** Undefined when there is nothing in it. */
  build(): FieldSet | undefined {
    return this.#node ?? (this.#member ? leaf : undefined)
  }
}

/** Calls `visit` with the elements of both, in order. */
function zip(
  a: FieldSet,
  b: FieldSet,
  visit: (element: PathElement, left: FieldSet | undefined, right: FieldSet | undefined) => void,
): void {
  const left = elementsOf(a)
  const right = elementsOf(b)
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

/** Of two and two, and of what that gives: joined one by one to a growing set, each would be a look at all before it. */
export function unionOf(sets: readonly FieldSet[]): FieldSet {
  let rest = sets
  while (rest.length > 1) {
    const joined: FieldSet[] = []
    for (let i = 0; i < rest.length; i += 2) joined.push(union(rest[i]!, rest[i + 1] ?? leaf))
    rest = joined
  }
  return rest[0] ?? leaf
}

function unionNodes(a: FieldSet, b: FieldSet, member: boolean): FieldSet | undefined {
  const node = new NodeBuilder(member)
  zip(a, b, (element, left, right) => {
    if (left === undefined || right === undefined) node.add(element, left ?? right)
    else node.add(element, left === right ? left : unionNodes(left, right, isMember(left) || isMember(right)))
  })
  return node.build()
}

/** Looks at every element of `a` and at none that only `b` has. */
export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  return intersectNodes(a, b, false) ?? leaf
}

function intersectNodes(a: FieldSet, b: FieldSet, member: boolean): FieldSet | undefined {
  const node = new NodeBuilder(member)
  for (const element of elementsOf(a)) {
    const left = a[element]!
    const right = b[element]
    if (right !== undefined) node.add(element, left === right ? left : intersectNodes(left, right, isMember(left) && isMember(right)))
  }
  return node.build()
}

/** What is in `a` and not in `b`. A path of `b` takes away that path and none below it. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  return subtract(a, b, false, false) ?? leaf
}

/** A path of `b` takes away that path and all below it. */
export function recursiveDifference(a: FieldSet, b: FieldSet): FieldSet {
  return subtract(a, b, false, true) ?? leaf
}

function subtract(a: FieldSet, b: FieldSet, member: boolean, recursive: boolean): FieldSet | undefined {
  // Mostly little is taken away, if anything: of what stays as it is nothing is built.
  let rests: Map<PathElement, FieldSet | undefined> | undefined
  for (const element of elementsOf(b)) {
    const left = a[element]
    if (left === undefined) continue
    const right = b[element]!
    const taken = isMember(right)
    const rest = taken && recursive ? undefined : subtract(left, right, isMember(left) && !taken, recursive)
    if (rest !== left) (rests ??= new Map()).set(element, rest)
  }
  if (rests === undefined && member === isMember(a)) return a
  const node = new NodeBuilder(member)
  for (const element of elementsOf(a)) node.add(element, rests?.has(element) === true ? rests.get(element) : a[element])
  return node.build()
}

/** The members below which there is no member. */
export function leaves(set: FieldSet): FieldSet {
  return leafNodes(set) ?? leaf
}

function leafNodes(set: FieldSet): FieldSet | undefined {
  const node = new NodeBuilder(false)
  for (const element of elementsOf(set)) {
    const child = set[element]!
    node.add(element, elementsOf(child).length === 0 ? leaf : leafNodes(child))
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

/** In order; a path before those below it. */
export function pathsOf(set: FieldSet): PathElement[][] {
  const paths: PathElement[][] = []
  const visit = (node: FieldSet, prefix: readonly PathElement[]): void => {
    const elements = elementsOf(node)
    for (const element of elements) if (isMember(node[element]!)) paths.push([...prefix, element])
    for (const element of elements) visit(node[element]!, [...prefix, element])
  }
  visit(set, [])
  return paths
}

export function equalSets(a: FieldSet, b: FieldSet): boolean {
  if (a === b) return true
  const elements = elementsOf(a)
  if (elements.length !== elementsOf(b).length) return false
  return elements.every((element) => {
    const left = a[element]!
    const right = b[element]
    return right !== undefined && isMember(left) === isMember(right) && equalSets(left, right)
  })
}

/** Whether all of `part` is in `whole`. */
export function containsSet(whole: FieldSet, part: FieldSet): boolean {
  if (whole === part) return true
  for (const element of elementsOf(part)) {
    const here = whole[element]
    const child = part[element]!
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
  return unionOf(sets)
}

/** Of paths of plain fields: `fieldsAt('spec', 'metadata.labels')`. */
export function fieldsAt(...paths: readonly string[]): FieldSet {
  return setOfPaths(paths.map((path) => path.split('.').map(fieldElement)))
}

/** A set that may have come from anywhere, in the one form that the rest of this file expects. Throws on what is no set. */
export function normalizeFieldSet(value: unknown): FieldSet {
  return normalizeNode(value, 0) ?? leaf
}

/** No object is as deep by far; what is would be a burden to every write that comes after. */
const maxDepth = 500

function normalizeNode(value: unknown, depth: number): FieldSet | undefined {
  const nested = depth > 0
  if (depth > maxDepth) throw new TypeError('too deep a set of fields')
  if (value === null || value === undefined) return nested ? leaf : undefined
  if (typeof value !== 'object' || Array.isArray(value)) throw new TypeError('no set of fields')
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
    const known = children.get(element)
    children.set(element, known === undefined ? child : unionNodes(known, child, isMember(known) || isMember(child))!)
  }
  const node = new NodeBuilder(nested && (member || children.size === 0))
  for (const element of sortElements([...children.keys()])) node.add(element, children.get(element))
  return node.build()
}
