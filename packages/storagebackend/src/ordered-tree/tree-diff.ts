import { precedes, countValues } from './tree-node.ts'
import type { Keyed, Node } from './tree-node.ts'

/** A difference between two versions of a tree. A value that is undefined is absent in that version. */
export interface TreeChange<V> {
  readonly before: V | undefined
  readonly after: V | undefined
}

type Part<V> = { readonly node: Node<V> } | { readonly value: V }

/**
 * Yields the differences of two versions in key order. It skips the nodes that both versions share, so it takes time for the differences rather than
 * for the size of the trees.
 *
 * Both versions are kept as stacks of unread nodes and values. Equal parts on top of the stacks are dropped, nodes are replaced by what they contain, the
 * larger one first, and values are compared by key.
 */
export function* diffTrees<V extends Keyed>(before: Node<V>, after: Node<V>, wide: boolean): Generator<TreeChange<V>, void> {
  const left: Part<V>[] = [{ node: before }]
  const right: Part<V>[] = [{ node: after }]
  for (;;) {
    const a = left.at(-1)
    const b = right.at(-1)
    if (a === undefined && b === undefined) return
    const aSize = measurePart(a)
    const bSize = measurePart(b)
    if (aSize > 0 && bSize > 0 && a !== undefined && b !== undefined && 'node' in a && 'node' in b && a.node === b.node) {
      left.pop()
      right.pop()
    } else if (aSize > 0 && aSize >= bSize) {
      openTop(left)
      if (aSize === bSize) openTop(right)
    } else if (bSize > 0) {
      openTop(right)
    } else {
      const before = a !== undefined && 'value' in a ? a.value : undefined
      const after = b !== undefined && 'value' in b ? b.value : undefined
      if (before === undefined || (after !== undefined && precedes(after.key, before.key, wide))) {
        right.pop()
        yield { before: undefined, after }
      } else if (after === undefined || before.key !== after.key) {
        left.pop()
        yield { before, after: undefined }
      } else {
        left.pop()
        right.pop()
        if (before !== after) yield { before, after }
      }
    }
  }
}

/** Returns the number of values of a node. Returns 0 for a value. An empty node counts as one value, so that it is opened. */
function measurePart<V>(part: Part<V> | undefined): number {
  return part !== undefined && 'node' in part ? Math.max(1, countValues(part.node)) : 0
}

/** Replaces the node on top of a stack by its children or values. */
function openTop<V>(stack: Part<V>[]): void {
  const { node } = stack.pop() as { readonly node: Node<V> }
  if (node.leaf) for (let i = node.values.length - 1; i >= 0; i--) stack.push({ value: node.values[i]! })
  else for (let i = node.children.length - 1; i >= 0; i--) stack.push({ node: node.children[i]! })
}
