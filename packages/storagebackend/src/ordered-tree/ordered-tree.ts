import { hasUtf16Order } from '@keelson/apimachinery'
import type { KeyRange } from '../backend.ts'
import {
  findChild,
  find,
  createInner,
  isOver,
  isThin,
  join,
  lowerBound,
  getLowestKey,
  buildTree,
  restrictToRange,
  countSmaller,
  countValues,
  split,
} from './tree-node.ts'
import type { Edit, Inner, Keyed, Leaf, Node } from './tree-node.ts'
import { diffTrees } from './tree-diff.ts'
import type { TreeChange } from './tree-diff.ts'
import { TreeScan } from './tree-scan.ts'

/** One version of an `OrderedTree`. It is immutable, and shares nodes with other versions. */
export class TreeSnapshot<V extends Keyed> {
  readonly #root: Node<V>
  readonly #wide: boolean

  /** Not for callers: `OrderedTree.snapshot` creates snapshots. */
  constructor(root: Node<V>, wide: boolean) {
    this.#root = root
    this.#wide = wide
  }

  get size(): number {
    return countValues(this.#root)
  }

  get(key: string): V | undefined {
    return find(this.#root, key, this.#wide)
  }

  /** Iterates over the values of the range in key order. */
  scan(range: KeyRange): IterableIterator<V> {
    return new TreeScan(this.#root, range, this.#wide)
  }

  /** Returns the number of keys in the range. Takes logarithmic time. */
  count({ start, end }: KeyRange): number {
    if (end === undefined) return this.get(start) === undefined ? 0 : 1
    return Math.max(0, countSmaller(this.#root, end, this.#wide) - countSmaller(this.#root, start, this.#wide))
  }

  /** Returns a tree with only the values in the range. It keeps no other values in memory. Takes about as long as a write. */
  within({ start, end }: { readonly start: string; readonly end: string }): TreeSnapshot<V> {
    return new TreeSnapshot(restrictToRange(this.#root, start, end, this.#wide), this.#wide)
  }

  /**
   * Yields the differences from this version to another one in key order. Values are compared by identity. Takes time for the nodes that the
   * versions do not share.
   */
  changesTo(other: TreeSnapshot<V>): Generator<TreeChange<V>, void> {
    return diffTrees(this.#root, other.#root, this.#wide || other.#wide)
  }

  /** Returns a tree that starts with the values of this version and can be changed. */
  edit(): OrderedTree<V> {
    return new OrderedTree(this.#root, this.#wide)
  }
}

/**
 * A persistent B+ tree of values in UTF-8 order of their keys. A version is a root node, and versions share the nodes that did not change.
 *
 *               lows [a, d, f]             inner: children, the start of each, number of values below
 *             /       |       \
 *       [a b c]     [d e]     [f g h]      leaf: values in order          set(c2) copies the leaf [a b c] and the root
 *
 * A write copies the nodes on the path to its key. Several writes between two snapshots copy a node only once. A node with the tree's current `Edit`
 * mark was created after the last snapshot, so no version contains it and it can be changed in place.
 */
export class OrderedTree<V extends Keyed> {
  #root: Node<V>
  /** Whether the tree may have a key for which JavaScript's string order differs from UTF-8 order. Such keys need a slower comparison. */
  #wide: boolean
  #edit: Edit = Symbol()
  #snapshot: TreeSnapshot<V> | undefined

  /** Creates an empty tree. `TreeSnapshot.edit` and `fromSorted` create trees with values. */
  constructor(root?: Node<V>, wide = false) {
    this.#root = root ?? buildTree<V>(this.#edit, [])
    this.#wide = wide
  }

  /** Creates a tree of values with unique keys in UTF-8 order. */
  static fromSorted<V extends Keyed>(values: readonly V[]): OrderedTree<V> {
    const wide = !values.every((value) => hasUtf16Order(value.key))
    return new OrderedTree(buildTree(Symbol(), values), wide)
  }

  get size(): number {
    return countValues(this.#root)
  }

  get(key: string): V | undefined {
    return find(this.#root, key, this.#wide)
  }

  /** Returns the current version in constant time. The next write to a path copies its nodes again. */
  snapshot(): TreeSnapshot<V> {
    if (this.#snapshot === undefined) {
      this.#snapshot = new TreeSnapshot(this.#root, this.#wide)
      this.#edit = Symbol()
    }
    return this.#snapshot
  }

  set(value: V): void {
    this.#snapshot = undefined
    // The earlier keys have the same order in both comparisons, so no value has to move.
    if (!this.#wide && !hasUtf16Order(value.key)) this.#wide = true
    const root = this.#set(this.#root, value)
    this.#root = isOver(root) ? createInner(this.#edit, [root, split(root, this.#edit, value.key, this.#wide)]) : root
  }

  /** Deletes a key. Returns false if the key is absent. */
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
    const editable = this.#editable(node)
    const at = findChild(editable.lows, value.key, this.#wide)
    const oldSize = countValues(editable.children[at]!)
    const child = (editable.children[at] = this.#set(editable.children[at]!, value))
    editable.size += countValues(child) - oldSize
    if (isOver(child)) {
      const right = split(child, this.#edit, value.key, this.#wide)
      editable.children = editable.children.toSpliced(at + 1, 0, right)
      editable.lows = editable.lows.toSpliced(at + 1, 0, getLowestKey(right))
    }
    return editable
  }

  #setInLeaf(leaf: Leaf<V>, value: V): Leaf<V> {
    const isEditable = leaf.edit === this.#edit
    const { values } = leaf
    const at = lowerBound(values, value.key, this.#wide)
    if (values[at]?.key !== value.key) {
      // The copy has exactly the needed length. An array that grows in place would reserve more memory.
      const grown = values.toSpliced(at, 0, value)
      if (!isEditable) return { leaf: true, edit: this.#edit, values: grown }
      leaf.values = grown
      return leaf
    }
    if (!isEditable) return { leaf: true, edit: this.#edit, values: values.with(at, value) }
    values[at] = value
    return leaf
  }

  /** Deletes a key that must exist. Returns the new node. */
  #delete(node: Node<V>, key: string): Node<V> {
    if (node.leaf) {
      const values = node.values.toSpliced(lowerBound(node.values, key, this.#wide), 1)
      return { leaf: true, edit: this.#edit, values }
    }
    const editable = this.#editable(node)
    editable.size--
    const at = findChild(editable.lows, key, this.#wide)
    const child = (editable.children[at] = this.#delete(editable.children[at]!, key))
    const leftIndex = at > 0 ? at - 1 : at
    if (isThin(child) && leftIndex + 1 < editable.children.length) this.#join(editable, leftIndex)
    return editable
  }

  /** Joins two neighbouring nodes. If the result is too large for one node, it is split evenly. */
  #join(parent: Inner<V>, left: number): void {
    const source = parent.children[left + 1]!
    const target = (parent.children[left] = this.#copyNode(parent.children[left]!))
    join(target, source, parent.lows[left + 1]!)
    if (isOver(target)) {
      const right = split(target, this.#edit, '', this.#wide)
      parent.children[left + 1] = right
      parent.lows = parent.lows.with(left + 1, getLowestKey(right))
    } else {
      parent.children = parent.children.toSpliced(left + 1, 1)
      parent.lows = parent.lows.toSpliced(left + 1, 1)
    }
  }

  /**
   * Returns a copy of a node for `join`. Joining changes the node, but a leaf needs no copy of its values, because joining replaces them.
   */
  #copyNode(node: Node<V>): Node<V> {
    return node.leaf ? { leaf: true, edit: this.#edit, values: node.values } : this.#editable(node)
  }

  #editable(node: Inner<V>): Inner<V> {
    if (node.edit === this.#edit) return node
    return { leaf: false, edit: this.#edit, children: node.children.slice(), lows: node.lows, size: node.size }
  }
}
