import { compareKeys, isNarrowKey, type Entry, type KeyRange } from '@keelson/storagebackend'

const fanout = 32
/** How full nodes are made from sorted entries. */
const fill = 24

/**
 * A persistent B+ tree of entries in byte order of their keys: a version is a root, and roots share what did not change.
 *
 *              [ 5 | count ]              inner: children, each one's least key, entries below
 *             /      |      \
 *       [a b c]   [d e]   [f g h]         leaf: entries in order
 *
 * A write copies the path from root to leaf. Several writes in a row (no snapshot taken between them) copy a node once: `edit` marks
 * the nodes that this run made itself and that no snapshot can see.
 */
interface Leaf {
  readonly leaf: true
  edit: object
  entries: Entry[]
}
interface Inner {
  readonly leaf: false
  edit: object
  children: Node[]
  /** The least key that may be below each child; the first is never looked at. */
  keys: string[]
  count: number
}
type Node = Leaf | Inner
type Less = (a: string, b: string) => boolean

const lessNarrow: Less = (a, b) => a < b
const lessWide: Less = (a, b) => compareKeys(a, b) < 0

/** One version: immutable. */
export class TreeSnapshot {
  readonly #root: Node
  readonly #less: Less

  constructor(root: Node, less: Less) {
    this.#root = root
    this.#less = less
  }

  get size(): number {
    return sizeOf(this.#root)
  }

  get(key: string): Entry | undefined {
    return find(this.#root, key, this.#less)
  }

  *scan(range: KeyRange): IterableIterator<Entry> {
    if (range.end === undefined) {
      const entry = this.get(range.start)
      if (entry) yield entry
      return
    }
    const less = this.#less
    const { start, end } = range
    // The way down to the next leaf: an inner node and the child that comes after it.
    const nodes: Inner[] = []
    const next: number[] = []
    let node = this.#root
    while (!node.leaf) {
      const child = childAt(node, start, less)
      nodes.push(node)
      next.push(child + 1)
      node = node.children[child]!
    }
    let at = lowerBound(node.entries, start, less)
    for (;;) {
      const { entries } = node
      // A leaf whose last entry is in the range is in it as a whole.
      const whole = entries.length > 0 && less(entries[entries.length - 1]!.key, end)
      for (; at < entries.length; at++) {
        const entry = entries[at]!
        if (!whole && !less(entry.key, end)) return
        yield entry
      }
      let level = nodes.length - 1
      while (level >= 0 && next[level]! >= nodes[level]!.children.length) level--
      if (level < 0) return
      let down: Node = nodes[level]!.children[next[level]!++]!
      nodes.length = next.length = level + 1
      while (!down.leaf) {
        nodes.push(down)
        next.push(1)
        down = down.children[0]!
      }
      node = down
      at = 0
    }
  }

  count(range: KeyRange): number {
    if (range.end === undefined) return this.get(range.start) ? 1 : 0
    return Math.max(0, rank(this.#root, range.end, this.#less) - rank(this.#root, range.start, this.#less))
  }

  /** A tree that starts as this version. */
  edit(): OrderedTree {
    return new OrderedTree(this.#root, this.#less)
  }
}

/** The tree being written. `snapshot` is O(1). */
export class OrderedTree {
  #root: Node
  #less: Less
  #edit: object = {}

  constructor(root: Node = { leaf: true, edit: {}, entries: [] }, less: Less = lessNarrow) {
    this.#root = root
    this.#less = less
  }

  /** In byte order of keys, none twice. */
  static fromSorted(entries: readonly Entry[]): OrderedTree {
    const edit = {}
    let level: Node[] = []
    for (let i = 0; i < entries.length; i += fill) level.push({ leaf: true, edit, entries: entries.slice(i, i + fill) })
    let keys = level.map(leastKey)
    while (level.length > 1) {
      const above: Node[] = []
      const aboveKeys: string[] = []
      for (let i = 0; i < level.length; i += fill) {
        const children = level.slice(i, i + fill)
        above.push({ leaf: false, edit, children, keys: keys.slice(i, i + fill), count: children.reduce((n, c) => n + sizeOf(c), 0) })
        aboveKeys.push(keys[i]!)
      }
      level = above
      keys = aboveKeys
    }
    const narrow = entries.every((entry) => isNarrowKey(entry.key))
    return new OrderedTree(level[0], narrow ? lessNarrow : lessWide)
  }

  get size(): number {
    return sizeOf(this.#root)
  }

  get(key: string): Entry | undefined {
    return find(this.#root, key, this.#less)
  }

  snapshot(): TreeSnapshot {
    this.#edit = {}
    return new TreeSnapshot(this.#root, this.#less)
  }

  set(entry: Entry): void {
    // All keys so far are below the surrogates, where both orders agree: nothing has to move.
    if (this.#less === lessNarrow && !isNarrowKey(entry.key)) this.#less = lessWide
    const root = this.#owned(this.#root)
    this.#root = root
    this.#set(root, entry)
    if (!isOver(root)) return
    const right = split(root, this.#edit)
    const count = sizeOf(root) + sizeOf(right)
    this.#root = { leaf: false, edit: this.#edit, children: [root, right], keys: ['', leastKey(right)], count }
  }

  delete(key: string): boolean {
    if (!this.get(key)) return false
    const root = this.#owned(this.#root)
    this.#root = root
    this.#delete(root, key)
    while (!this.#root.leaf && this.#root.children.length === 1) this.#root = this.#root.children[0]!
    return true
  }

  /** True when an entry was added, not replaced. */
  #set(node: Node, entry: Entry): boolean {
    if (node.leaf) {
      const at = lowerBound(node.entries, entry.key, this.#less)
      if (node.entries[at]?.key === entry.key) {
        node.entries[at] = entry
        return false
      }
      if (at === node.entries.length) node.entries.push(entry)
      else node.entries.splice(at, 0, entry)
      return true
    }
    const at = childAt(node, entry.key, this.#less)
    const child = this.#own(node, at)
    const added = this.#set(child, entry)
    if (added) node.count++
    if (isOver(child)) {
      const right = split(child, this.#edit)
      node.children.splice(at + 1, 0, right)
      node.keys.splice(at + 1, 0, leastKey(right))
    }
    return added
  }

  /** The key is there. */
  #delete(node: Node, key: string): void {
    if (node.leaf) {
      node.entries.splice(lowerBound(node.entries, key, this.#less), 1)
      return
    }
    node.count--
    const at = childAt(node, key, this.#less)
    const child = this.#own(node, at)
    this.#delete(child, key)
    if (lengthOf(child) * 4 > fanout) return
    // Join the thin child with a neighbour; if that is too much for one node, it is split in even halves again.
    const left = at > 0 ? at - 1 : at
    if (left + 1 >= node.children.length) return
    const into = this.#own(node, left)
    join(into, node.children[left + 1]!, node.keys[left + 1]!)
    if (isOver(into)) {
      const right = split(into, this.#edit)
      node.children[left + 1] = right
      node.keys[left + 1] = leastKey(right)
    } else {
      node.children.splice(left + 1, 1)
      node.keys.splice(left + 1, 1)
    }
  }

  #own(parent: Inner, at: number): Node {
    return (parent.children[at] = this.#owned(parent.children[at]!))
  }

  #owned(node: Node): Node {
    if (node.edit === this.#edit) return node
    if (node.leaf) return { leaf: true, edit: this.#edit, entries: node.entries.slice() }
    return { leaf: false, edit: this.#edit, children: node.children.slice(), keys: node.keys.slice(), count: node.count }
  }
}

function sizeOf(node: Node): number {
  return node.leaf ? node.entries.length : node.count
}
function lengthOf(node: Node): number {
  return node.leaf ? node.entries.length : node.children.length
}
function isOver(node: Node): boolean {
  return lengthOf(node) > fanout
}
function leastKey(node: Node): string {
  return node.leaf ? node.entries[0]!.key : node.keys[0]!
}

/** Halves an owned node; returns the right half. */
function split(node: Node, edit: object): Node {
  if (node.leaf) return { leaf: true, edit, entries: node.entries.splice(node.entries.length >> 1) }
  const half = node.children.length >> 1
  const right: Inner = { leaf: false, edit, children: node.children.splice(half), keys: node.keys.splice(half), count: 0 }
  for (const child of right.children) right.count += sizeOf(child)
  node.count -= right.count
  return right
}

/** `least` is the key that stood between the two. */
function join(into: Node, from: Node, least: string): void {
  if (into.leaf && from.leaf) {
    for (const entry of from.entries) into.entries.push(entry)
  } else if (!into.leaf && !from.leaf) {
    for (let i = 0; i < from.children.length; i++) {
      into.children.push(from.children[i]!)
      into.keys.push(i === 0 ? least : from.keys[i]!)
    }
    into.count += from.count
  }
}

function find(root: Node, key: string, less: Less): Entry | undefined {
  let node = root
  while (!node.leaf) node = node.children[childAt(node, key, less)]!
  const entry = node.entries[lowerBound(node.entries, key, less)]
  return entry?.key === key ? entry : undefined
}

/** How many keys are less than `key`. */
function rank(root: Node, key: string, less: Less): number {
  let node = root
  let before = 0
  while (!node.leaf) {
    const at = childAt(node, key, less)
    for (let i = 0; i < at; i++) before += sizeOf(node.children[i]!)
    node = node.children[at]!
  }
  return before + lowerBound(node.entries, key, less)
}

/** The first entry whose key is not less. */
function lowerBound(entries: readonly Entry[], key: string, less: Less): number {
  let low = 0
  let high = entries.length
  while (low < high) {
    const mid = (low + high) >> 1
    if (less(entries[mid]!.key, key)) low = mid + 1
    else high = mid
  }
  return low
}

/** The last child whose least key is not greater. */
function childAt(node: Inner, key: string, less: Less): number {
  let low = 0
  let high = node.keys.length - 1
  while (low < high) {
    const mid = (low + high + 1) >> 1
    if (less(key, node.keys[mid]!)) high = mid - 1
    else low = mid
  }
  return low
}
