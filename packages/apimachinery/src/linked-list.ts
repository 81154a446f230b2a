/** A node of a linked list. Pass it to `remove` to remove its value. */
export interface ListNode<T> {
  readonly value: T
  before: ListNode<T> | undefined
  after: ListNode<T> | undefined
  isLinked: boolean
}

/** A doubly linked list. It keeps insertion order and removes in constant time. A Set of objects does the same, but is several times slower. */
export class LinkedList<T> {
  #first: ListNode<T> | undefined
  #last: ListNode<T> | undefined

  get first(): ListNode<T> | undefined {
    return this.#first
  }

  /** Appends a value. */
  add(value: T): ListNode<T> {
    const last = this.#last
    const node: ListNode<T> = { value, before: last, after: undefined, isLinked: true }
    if (last === undefined) this.#first = node
    else last.after = node
    this.#last = node
    return node
  }

  /** Removes a node. Does nothing if it was already removed. */
  remove(node: ListNode<T>): void {
    if (!node.isLinked) return
    const { before, after } = node
    if (before === undefined) this.#first = after
    else before.after = after
    if (after === undefined) this.#last = before
    else after.before = before
    // Clears the references to neighbours, so that a removed node does not keep them in memory.
    node.isLinked = false
    node.before = node.after = undefined
  }

  /** Iterates over the values. The list must not change during the iteration. */
  *[Symbol.iterator](): IterableIterator<T> {
    for (let node = this.#first; node !== undefined; node = node.after) yield node.value
  }
}
