import { compareUtf8 } from '@keelson/apimachinery'

/** A value that has a key. */
export interface Keyed {
  readonly key: string
}

/**
 * A mark on nodes that a tree created after its last snapshot. The tree may change such nodes in place, because no snapshot contains them.
 */
export type Edit = symbol

/** A leaf node, which contains values. */
export interface Leaf<V> {
  readonly leaf: true
  readonly edit: Edit
  values: V[]
}
/** An inner node, which contains child nodes. */
export interface Inner<V> {
  readonly leaf: false
  readonly edit: Edit
  children: Node<V>[]
  /**
   * Lower bounds for the keys of the children. The bound of a child is greater than every key of the previous child. The first bound is
   * unused. Nodes of several versions share the array until a node is split or joined, so it must not be changed in place.
   */
  lows: readonly string[]
  /** The number of values below this node. */
  size: number
}
export type Node<V> = Leaf<V> | Inner<V>

/** The maximum number of values or children of a node. */
export const fanout = 32
/** A node with fewer values or children than this is joined with a neighbour. */
const minimumWidth = fanout / 4

export function countValues<V>(node: Node<V>): number {
  return node.leaf ? node.values.length : node.size
}
export function isOver<V>(node: Node<V>): boolean {
  return countSlots(node) > fanout
}
export function isThin<V>(node: Node<V>): boolean {
  return countSlots(node) < minimumWidth
}
function countSlots<V>(node: Node<V>): number {
  return node.leaf ? node.values.length : node.children.length
}
export function getLowestKey<V extends Keyed>(node: Node<V>): string {
  return node.leaf ? node.values[0]!.key : node.lows[0]!
}

export function createInner<V extends Keyed>(edit: Edit, children: Node<V>[]): Inner<V> {
  let size = 0
  for (const child of children) size += countValues(child)
  return { leaf: false, edit, children, lows: children.map(getLowestKey), size }
}

/** Builds a tree from values with unique keys in UTF-8 order. */
export function buildTree<V extends Keyed>(edit: Edit, values: readonly V[]): Node<V> {
  let level: Node<V>[] = splitEvenly(values).map((part) => ({ leaf: true, edit, values: part }))
  while (level.length > 1) level = splitEvenly(level).map((part) => createInner(edit, part))
  return level[0] ?? { leaf: true, edit, values: [] }
}

/** Splits a list into parts of nearly equal size. Each part fits into one node. */
function splitEvenly<T>(list: readonly T[]): T[][] {
  const count = Math.ceil(list.length / fanout)
  return Array.from({ length: count }, (_, i) =>
    list.slice(Math.floor((i * list.length) / count), Math.floor(((i + 1) * list.length) / count)),
  )
}

/**
 * Returns true if `a` comes before `b` in UTF-8 order. If `wide` is false, JavaScript's string order is the same for all keys of the tree,
 * and much faster.
 */
export function precedes(a: string, b: string, wide: boolean): boolean {
  return wide ? compareUtf8(a, b) < 0 : a < b
}

/** Returns the index of the first value whose key is `key` or greater. */
export function lowerBound<V extends Keyed>(values: readonly V[], key: string, wide: boolean): number {
  let low = 0
  let high = values.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (precedes(values[middle]!.key, key, wide)) low = middle + 1
    else high = middle
  }
  return low
}

/** Returns the index of the child that contains `key`, or would contain it. */
export function findChild(lows: readonly string[], key: string, wide: boolean): number {
  let low = 0
  let high = lows.length - 1
  while (low < high) {
    const middle = (low + high + 1) >>> 1
    if (precedes(key, lows[middle]!, wide)) high = middle - 1
    else low = middle
  }
  return low
}

/** Returns the value with this key, or undefined if the key is absent. */
export function find<V extends Keyed>(root: Node<V>, key: string, wide: boolean): V | undefined {
  let node = root
  while (!node.leaf) node = node.children[findChild(node.lows, key, wide)]!
  const value = node.values[lowerBound(node.values, key, wide)]
  return value?.key === key ? value : undefined
}

/** Returns the number of keys that are smaller than `key`. */
export function countSmaller<V extends Keyed>(root: Node<V>, key: string, wide: boolean): number {
  let node = root
  let rank = 0
  while (!node.leaf) {
    const at = findChild(node.lows, key, wide)
    for (let i = 0; i < at; i++) rank += countValues(node.children[i]!)
    node = node.children[at]!
  }
  return rank + lowerBound(node.values, key, wide)
}

/**
 * Splits a node in place and returns the new right node. Both nodes get half of the values. If `key` was added near the end,
 * the right node gets only the last few values, so that keys added in order leave full nodes.
 */
export function split<V extends Keyed>(node: Node<V>, edit: Edit, key: string, wide: boolean): Node<V> {
  const width = countSlots(node)
  const at = node.leaf ? lowerBound(node.values, key, wide) : findChild(node.lows, key, wide)
  const splitIndex = at >= width - 2 ? width - minimumWidth : width >>> 1
  if (node.leaf) {
    const right: Leaf<V> = { leaf: true, edit, values: node.values.slice(splitIndex) }
    node.values = node.values.slice(0, splitIndex)
    return right
  }
  const right: Inner<V> = { leaf: false, edit, children: node.children.slice(splitIndex), lows: node.lows.slice(splitIndex), size: 0 }
  for (const child of right.children) right.size += countValues(child)
  node.children = node.children.slice(0, splitIndex)
  node.lows = node.lows.slice(0, splitIndex)
  node.size -= right.size
  return right
}

/** Moves the contents of the node `from` to the end of its left neighbour `into`. `low` is the lower bound of `from`. */
export function join<V>(into: Node<V>, from: Node<V>, low: string): void {
  if (into.leaf && from.leaf) {
    into.values = into.values.concat(from.values)
  } else if (!into.leaf && !from.leaf) {
    into.children = into.children.concat(from.children)
    into.lows = [...into.lows, low, ...from.lows.slice(1)]
    into.size += from.size
  }
}

/** Returns a tree with only the values in a range. It shares all nodes except those at the edges of the range, so it must not be edited. */
export function restrictToRange<V extends Keyed>(node: Node<V>, start: string, end: string, wide: boolean): Node<V> {
  if (node.leaf) {
    const first = lowerBound(node.values, start, wide)
    const last = lowerBound(node.values, end, wide)
    return first === 0 && last === node.values.length ? node : { leaf: true, edit: narrowed, values: node.values.slice(first, last) }
  }
  const firstChild = findChild(node.lows, start, wide)
  const lastChild = findChild(node.lows, end, wide)
  if (firstChild >= lastChild) return restrictToRange(node.children[firstChild]!, start, end, wide)
  const children = node.children.slice(firstChild, lastChild + 1)
  children[0] = restrictToRange(children[0]!, start, end, wide)
  children[lastChild - firstChild] = restrictToRange(children[lastChild - firstChild]!, start, end, wide)
  let size = 0
  for (const child of children) size += countValues(child)
  return { leaf: false, edit: narrowed, children, lows: node.lows.slice(firstChild, lastChild + 1), size }
}

const narrowed: Edit = Symbol('narrowed')
