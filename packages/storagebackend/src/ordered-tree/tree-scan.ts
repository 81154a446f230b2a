import type { KeyRange } from '../backend.ts'
import { findChild, lowerBound, precedes } from './tree-node.ts'
import type { Inner, Keyed, Node } from './tree-node.ts'

/**
 * Iterates over the values in a range. It keeps the path to the current leaf as a stack. All leaves except the last are entirely in the
 * range, so the scan compares only one key for each of them.
 */
export class TreeScan<V extends Keyed> implements IterableIterator<V> {
  /** The inner nodes above the current leaf. `#next` has the index of the next child of each. */
  readonly #nodes: Inner<V>[] = []
  readonly #next: number[] = []
  readonly #end: string
  readonly #wide: boolean
  #values: readonly V[]
  #at: number
  /** The index in the current leaf at which the range ends, or the length of the leaf. */
  #limit: number
  #last: boolean

  constructor(root: Node<V>, { start, end }: KeyRange, wide: boolean) {
    let node = root
    while (!node.leaf) {
      const at = findChild(node.lows, start, wide)
      this.#nodes.push(node)
      this.#next.push(at + 1)
      node = node.children[at]!
    }
    this.#wide = wide
    this.#values = node.values
    this.#at = lowerBound(node.values, start, wide)
    if (end === undefined) {
      this.#end = start
      this.#limit = node.values[this.#at]?.key === start ? this.#at + 1 : this.#at
      this.#last = true
    } else {
      this.#end = end
      this.#limit = lowerBound(node.values, end, wide)
      this.#last = this.#limit < node.values.length
    }
  }

  [Symbol.iterator](): this {
    return this
  }

  next(): IteratorResult<V, undefined> {
    if (this.#at >= this.#limit && !this.#nextLeaf()) return { done: true, value: undefined }
    return { done: false, value: this.#values[this.#at++]! }
  }

  /** Moves to the next leaf with values in the range. Returns false at the end. */
  #nextLeaf(): boolean {
    const nodes = this.#nodes
    const next = this.#next
    while (!this.#last) {
      let level = nodes.length - 1
      while (level >= 0 && next[level]! >= nodes[level]!.children.length) level--
      if (level < 0) break
      let node = nodes[level]!.children[next[level]!++]!
      while (!node.leaf) {
        nodes[++level] = node
        next[level] = 1
        node = node.children[0]!
      }
      this.#enter(node.values)
      if (this.#limit > 0) return true
    }
    this.#last = true
    return false
  }

  #enter(values: readonly V[]): void {
    this.#values = values
    this.#at = 0
    this.#limit = values.length
    if (values.length === 0 || precedes(values[values.length - 1]!.key, this.#end, this.#wide)) return
    this.#limit = lowerBound(values, this.#end, this.#wide)
    this.#last = true
  }
}
