import { compareKeys } from '@keelson/storagebackend'

/** What the tree holds: anything that carries its key. */
export interface Keyed {
  readonly key: string
}

/** Half-open, in key order; `end` undefined has no upper limit. */
export interface TreeRange {
  readonly start: string
  readonly end: string | undefined
}

/**
 * A persistent B+ tree, ordered by key. A change copies the nodes on one path (about four for 100,000 entries) and shares the
 * rest, so keeping an old version is keeping a reference: that is a snapshot, O(1) to take.
 *
 *                 Branch(lows: [a, m])
 *                /                    \
 *        Leaf[a c f]               Leaf[m p]        set(d) makes a new Leaf[a c d f] and a new Branch; Leaf[m p] is shared
 *
 * Every node knows its size, so counting a range costs two descents.
 */
export class ObjectTree<V extends Keyed> {
  readonly #root: Node<V>

  constructor(root?: Node<V>) {
    this.#root = root ?? { leaf: true, items: [] }
  }

  /** From values that are already in key order, each key once. */
  static fromSorted<V extends Keyed>(values: readonly V[]): ObjectTree<V> {
    let level: Node<V>[] = chunks(values).map((items) => ({ leaf: true, items }))
    while (level.length > 1) level = chunks(level).map(branchOf)
    return new ObjectTree(level[0])
  }

  get size(): number {
    return sizeOf(this.#root)
  }

  get(key: string): V | undefined {
    let node = this.#root
    while (!node.leaf) node = node.children[childIndex(node.lows, key)]!
    const found = node.items[lowerBound(node.items, key)]
    return found?.key === key ? found : undefined
  }

  set(value: V): ObjectTree<V> {
    const [first, second] = setIn(this.#root, value)
    return new ObjectTree(second === undefined ? first : branchOf([first, second]))
  }

  delete(key: string): ObjectTree<V> {
    let root = deleteIn(this.#root, key)
    if (root === this.#root) return this
    while (root !== undefined && !root.leaf && root.children.length === 1) root = root.children[0]
    return new ObjectTree(root)
  }

  /** How many keys lie in the range. */
  count(range: TreeRange): number {
    const to = range.end === undefined ? this.size : rankOf(this.#root, range.end)
    return Math.max(0, to - rankOf(this.#root, range.start))
  }

  scan(range: TreeRange): IterableIterator<V> {
    return new Scan(this.#root, range)
  }
}

type Node<V> = Leaf<V> | Branch<V>
interface Leaf<V> {
  readonly leaf: true
  readonly items: readonly V[]
}
interface Branch<V> {
  readonly leaf: false
  readonly children: readonly Node<V>[]
  /**
   * At or below the first key of each child, above every key of the child before; the first one is never looked at. A change
   * that splits nothing leaves them as they are, so versions share them.
   */
  readonly lows: readonly string[]
  readonly size: number
}

const maxWidth = 32
const minWidth = 8

function sizeOf<V>(node: Node<V>): number {
  return node.leaf ? node.items.length : node.size
}
function widthOf<V>(node: Node<V>): number {
  return node.leaf ? node.items.length : node.children.length
}
function lowOf<V extends Keyed>(node: Node<V>): string {
  return node.leaf ? node.items[0]!.key : node.lows[0]!
}
function branchOf<V extends Keyed>(children: readonly Node<V>[]): Branch<V> {
  return branchWith(children, children.map(lowOf))
}
function branchWith<V>(children: readonly Node<V>[], lows: readonly string[]): Branch<V> {
  let size = 0
  for (const child of children) size += sizeOf(child)
  return { leaf: false, children, lows, size }
}
function withChild<V>({ children, lows, size }: Branch<V>, at: number, child: Node<V>): Branch<V> {
  return { leaf: false, children: children.with(at, child), lows, size: size - sizeOf(children[at]!) + sizeOf(child) }
}

/** First index whose key is not below `key`. */
function lowerBound<V extends Keyed>(items: readonly V[], key: string): number {
  let low = 0
  let high = items.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (compareKeys(items[middle]!.key, key) < 0) low = middle + 1
    else high = middle
  }
  return low
}

/** The child that holds `key` if any does. */
function childIndex(lows: readonly string[], key: string): number {
  let low = 1
  let high = lows.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (compareKeys(lows[middle]!, key) <= 0) low = middle + 1
    else high = middle
  }
  return low - 1
}

function setIn<V extends Keyed>(node: Node<V>, value: V): [Node<V>, Node<V>?] {
  if (node.leaf) {
    const at = lowerBound(node.items, value.key)
    const items = node.items.slice()
    if (items[at]?.key === value.key) {
      items[at] = value
      return [{ leaf: true, items }]
    }
    items.splice(at, 0, value)
    if (items.length <= maxWidth) return [{ leaf: true, items }]
    const half = splitPoint(items.length, at)
    return [
      { leaf: true, items: items.slice(0, half) },
      { leaf: true, items: items.slice(half) },
    ]
  }
  const at = childIndex(node.lows, value.key)
  const [first, second] = setIn(node.children[at]!, value)
  if (second === undefined) return [withChild(node, at, first)]
  const children = node.children.toSpliced(at, 1, first, second)
  const lows = node.lows.toSpliced(at + 1, 0, lowOf(second))
  if (children.length <= maxWidth) return [branchWith(children, lows)]
  const half = splitPoint(children.length, at)
  return [branchWith(children.slice(0, half), lows.slice(0, half)), branchWith(children.slice(half), lows.slice(half))]
}

/** Keys that arrive in order leave full nodes behind them; otherwise split in the middle. */
function splitPoint(length: number, insertedAt: number): number {
  return insertedAt >= length - 2 ? length - minWidth : length >>> 1
}

function deleteIn<V extends Keyed>(node: Node<V>, key: string): Node<V> | undefined {
  if (node.leaf) {
    const at = lowerBound(node.items, key)
    if (node.items[at]?.key !== key) return node
    return node.items.length === 1 ? undefined : { leaf: true, items: node.items.toSpliced(at, 1) }
  }
  const at = childIndex(node.lows, key)
  const before = node.children[at]!
  const after = deleteIn(before, key)
  if (after === before) return node
  if (after === undefined) {
    return node.children.length === 1 ? undefined : branchWith(node.children.toSpliced(at, 1), node.lows.toSpliced(at, 1))
  }
  if (widthOf(after) < minWidth && node.children.length > 1) {
    const left = at > 0 ? at - 1 : at
    const pair = at > 0 ? ([node.children[left]!, after] as const) : ([after, node.children[1]!] as const)
    if (widthOf(pair[0]) + widthOf(pair[1]) <= maxWidth) {
      const merged = merge(pair[0], pair[1], node.lows[left + 1]!)
      return branchWith(node.children.toSpliced(left, 2, merged), node.lows.toSpliced(left + 1, 1))
    }
  }
  return withChild(node, at, after)
}

/** `low` is that of the second. */
function merge<V>(a: Node<V>, b: Node<V>, low: string): Node<V> {
  if (a.leaf && b.leaf) return { leaf: true, items: [...a.items, ...b.items] }
  if (!a.leaf && !b.leaf) return branchWith([...a.children, ...b.children], [...a.lows, low, ...b.lows.slice(1)])
  throw new Error('all leaves of the tree are at one depth')
}

/** How many keys are below `key`. */
function rankOf<V extends Keyed>(root: Node<V>, key: string): number {
  let node = root
  let rank = 0
  while (!node.leaf) {
    const at = childIndex(node.lows, key)
    for (let i = 0; i < at; i++) rank += sizeOf(node.children[i]!)
    node = node.children[at]!
  }
  return rank + lowerBound(node.items, key)
}

/** A list cut into nearly equal pieces of at most `maxWidth`. */
function chunks<T>(values: readonly T[]): T[][] {
  const pieces = Math.ceil(values.length / maxWidth)
  const result: T[][] = []
  for (let i = 0; i < pieces; i++) {
    result.push(values.slice(Math.floor((i * values.length) / pieces), Math.floor(((i + 1) * values.length) / pieces)))
  }
  return result
}

/** Walks with a stack of its own: a generator per level costs several times more. */
class Scan<V extends Keyed> implements IterableIterator<V> {
  readonly #branches: Branch<V>[] = []
  readonly #positions: number[] = []
  readonly #end: string | undefined
  #items: readonly V[]
  #at: number

  constructor(root: Node<V>, range: TreeRange) {
    let node = root
    while (!node.leaf) {
      const at = childIndex(node.lows, range.start)
      this.#branches.push(node)
      this.#positions.push(at)
      node = node.children[at]!
    }
    this.#items = node.items
    this.#at = lowerBound(node.items, range.start)
    this.#end = range.end
  }

  [Symbol.iterator](): this {
    return this
  }

  next(): IteratorResult<V> {
    while (this.#at >= this.#items.length) {
      if (!this.#nextLeaf()) return { done: true, value: undefined }
    }
    const value = this.#items[this.#at]!
    if (this.#end !== undefined && compareKeys(value.key, this.#end) >= 0) return { done: true, value: undefined }
    this.#at++
    return { done: false, value }
  }

  #nextLeaf(): boolean {
    let level = this.#branches.length - 1
    while (level >= 0 && this.#positions[level]! + 1 >= this.#branches[level]!.children.length) level--
    if (level < 0) return false
    this.#positions[level]!++
    let node = this.#branches[level]!.children[this.#positions[level]!]!
    while (!node.leaf) {
      level++
      this.#branches[level] = node
      this.#positions[level] = 0
      node = node.children[0]!
    }
    this.#items = node.items
    this.#at = 0
    return true
  }
}
