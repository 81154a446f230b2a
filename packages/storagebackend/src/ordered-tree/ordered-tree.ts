import { hasUtf16Order } from '@keelson/apimachinery'
import type { KeyRange } from '../backend.ts'
import {
  childAt,
  find,
  innerOf,
  isOver,
  isThin,
  join,
  lowerBound,
  lowOf,
  nodeOfSorted,
  nodeWithin,
  rankOf,
  sizeOf,
  split,
} from './tree-node.ts'
import type { Edit, Inner, Keyed, Leaf, Node } from './tree-node.ts'
import { TreeScan } from './tree-scan.ts'

/** One version of a tree: immutable, and safe to keep; it shares with other versions what they have in common. */
export class TreeSnapshot<V extends Keyed> {
  readonly #root: Node<V>
  readonly #wide: boolean

  /** For `OrderedTree.snapshot`. */
  constructor(root: Node<V>, wide: boolean) {
    this.#root = root
    this.#wide = wide
  }

  get size(): number {
    return sizeOf(this.#root)
  }

  get(key: string): V | undefined {
    return find(this.#root, key, this.#wide)
  }

  /** In key order, from a range's start on. */
  scan(range: KeyRange): IterableIterator<V> {
    return new TreeScan(this.#root, range, this.#wide)
  }

  /** How many keys lie in the range: two descents, however many those are. */
  count({ start, end }: KeyRange): number {
    if (end === undefined) return this.get(start) === undefined ? 0 : 1
    return Math.max(0, rankOf(this.#root, end, this.#wide) - rankOf(this.#root, start, this.#wide))
  }

  /** Only what lies in the range: who keeps it keeps nothing else of this version alive. Costs about what a write does. */
  within({ start, end }: { readonly start: string; readonly end: string }): TreeSnapshot<V> {
    return new TreeSnapshot(nodeWithin(this.#root, start, end, this.#wide), this.#wide)
  }

  /** A tree that starts as this version. */
  edit(): OrderedTree<V> {
    return new OrderedTree(this.#root, this.#wide)
  }
}

/**
 * A persistent B+ tree of values in byte order of their keys: a version is a root, and roots share what did not change.
 *
 *               lows [a, d, f]             inner: children, where each one begins, how many values are below
 *             /       |       \
 *       [a b c]     [d e]     [f g h]      leaf: values in order          set(c2) copies the leaf [a b c] and the root
 *
 * A write copies the nodes on one path. Several writes in a row, with no snapshot taken between them, copy a node once: those that carry
 * the tree's present mark were made since, and nobody else can see them.
 */
export class OrderedTree<V extends Keyed> {
  #root: Node<V>
  /** Whether there may be a key that JavaScript's order does not put where it belongs. */
  #wide: boolean
  #edit: Edit = Symbol()
  #snapshot: TreeSnapshot<V> | undefined

  /** Empty; `TreeSnapshot.edit` and `fromSorted` start with something. */
  constructor(root?: Node<V>, wide = false) {
    this.#root = root ?? nodeOfSorted<V>(this.#edit, [])
    this.#wide = wide
  }

  /** Of values in byte order of their keys, none twice. */
  static fromSorted<V extends Keyed>(values: readonly V[]): OrderedTree<V> {
    const wide = !values.every((value) => hasUtf16Order(value.key))
    return new OrderedTree(nodeOfSorted(Symbol(), values), wide)
  }

  get size(): number {
    return sizeOf(this.#root)
  }

  get(key: string): V | undefined {
    return find(this.#root, key, this.#wide)
  }

  /** What the tree is now. Costs nothing itself; the next write has its path to copy. */
  snapshot(): TreeSnapshot<V> {
    if (this.#snapshot === undefined) {
      this.#snapshot = new TreeSnapshot(this.#root, this.#wide)
      this.#edit = Symbol()
    }
    return this.#snapshot
  }

  set(value: V): void {
    this.#snapshot = undefined
    // All keys so far are below the surrogates, where both orders agree: nothing has to move.
    if (!this.#wide && !hasUtf16Order(value.key)) this.#wide = true
    const root = this.#set(this.#root, value)
    this.#root = isOver(root) ? innerOf(this.#edit, [root, split(root, this.#edit, value.key, this.#wide)]) : root
  }

  /** False when the key is not there. */
  delete(key: string): boolean {
    if (this.get(key) === undefined) return false
    this.#snapshot = undefined
    let root = this.#delete(this.#root, key)
    while (!root.leaf && root.children.length === 1) root = root.children[0]!
    this.#root = root
    return true
  }

  #set(node: Node<V>, value: V): Node<V> {
    if (node.leaf) return this.#setInLeaf(node, value)
    const own = this.#owned(node)
    const at = childAt(own.lows, value.key, this.#wide)
    const before = sizeOf(own.children[at]!)
    const child = (own.children[at] = this.#set(own.children[at]!, value))
    own.size += sizeOf(child) - before
    if (isOver(child)) {
      const right = split(child, this.#edit, value.key, this.#wide)
      own.children = own.children.toSpliced(at + 1, 0, right)
      own.lows = own.lows.toSpliced(at + 1, 0, lowOf(right))
    }
    return own
  }

  #setInLeaf(leaf: Leaf<V>, value: V): Leaf<V> {
    const own = leaf.edit === this.#edit
    const { values } = leaf
    const at = lowerBound(values, value.key, this.#wide)
    if (values[at]?.key !== value.key) {
      // A copy is made to measure; an array that grows in place takes room for what may never come.
      const grown = values.toSpliced(at, 0, value)
      if (!own) return { leaf: true, edit: this.#edit, values: grown }
      leaf.values = grown
      return leaf
    }
    if (!own) return { leaf: true, edit: this.#edit, values: values.with(at, value) }
    values[at] = value
    return leaf
  }

  /** The key is there. */
  #delete(node: Node<V>, key: string): Node<V> {
    if (node.leaf) {
      const values = node.values.toSpliced(lowerBound(node.values, key, this.#wide), 1)
      return { leaf: true, edit: this.#edit, values }
    }
    const own = this.#owned(node)
    own.size--
    const at = childAt(own.lows, key, this.#wide)
    const child = (own.children[at] = this.#delete(own.children[at]!, key))
    const left = at > 0 ? at - 1 : at
    if (isThin(child) && left + 1 < own.children.length) this.#join(own, left)
    return own
  }

  /** Joins two neighbours; if that is too much for one node, it is split again, evenly. */
  #join(parent: Inner<V>, left: number): void {
    const from = parent.children[left + 1]!
    const into = (parent.children[left] = this.#copyOf(parent.children[left]!))
    join(into, from, parent.lows[left + 1]!)
    if (isOver(into)) {
      const right = split(into, this.#edit, '', this.#wide)
      parent.children[left + 1] = right
      parent.lows = parent.lows.with(left + 1, lowOf(right))
    } else {
      parent.children = parent.children.toSpliced(left + 1, 1)
      parent.lows = parent.lows.toSpliced(left + 1, 1)
    }
  }

  /** For `join`, which gives a leaf values of its own. */
  #copyOf(node: Node<V>): Node<V> {
    return node.leaf ? { leaf: true, edit: this.#edit, values: node.values } : this.#owned(node)
  }

  #owned(node: Inner<V>): Inner<V> {
    if (node.edit === this.#edit) return node
    return { leaf: false, edit: this.#edit, children: node.children.slice(), lows: node.lows, size: node.size }
  }
}
