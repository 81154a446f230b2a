/** An edit of adjacent lines: keep, replace, delete or insert. The ends of the line ranges are exclusive. */
export interface Edit {
  readonly kind: 'equal' | 'replace' | 'delete' | 'insert'
  readonly oldStart: number
  readonly oldEnd: number
  readonly newStart: number
  readonly newEnd: number
}

interface Block {
  readonly a: number
  readonly b: number
  readonly size: number
}

/**
 * Computes the edits that turn the lines `a` into the lines `b`. Uses the Ratcliff-Obershelp algorithm of Python's difflib, like upstream,
 * so that diffs are equal to upstream's. Other algorithms can find fewer edits.
 */
export function diffLines(a: readonly string[], b: readonly string[]): Edit[] {
  const edits: Edit[] = []
  let i = 0
  let j = 0
  for (const block of [...findMatchingBlocks(a, b), { a: a.length, b: b.length, size: 0 }]) {
    const kind = i < block.a ? (j < block.b ? 'replace' : 'delete') : j < block.b ? 'insert' : undefined
    if (kind !== undefined) edits.push({ kind, oldStart: i, oldEnd: block.a, newStart: j, newEnd: block.b })
    i = block.a + block.size
    j = block.b + block.size
    if (block.size > 0) edits.push({ kind: 'equal', oldStart: block.a, oldEnd: i, newStart: block.b, newEnd: j })
  }
  return edits
}

function findMatchingBlocks(a: readonly string[], b: readonly string[]): Block[] {
  const positions = indexLines(b)
  const blocks: Block[] = []
  const pending: (readonly [number, number, number, number])[] = [[0, a.length, 0, b.length]]
  while (pending.length > 0) {
    const [aStart, aEnd, bStart, bEnd] = pending.pop()!
    const block = findLongestMatch(a, b, { aStart, aEnd, bStart, bEnd, positions })
    if (block.size === 0) continue
    blocks.push(block)
    if (aStart < block.a && bStart < block.b) pending.push([aStart, block.a, bStart, block.b])
    if (block.a + block.size < aEnd && block.b + block.size < bEnd) pending.push([block.a + block.size, aEnd, block.b + block.size, bEnd])
  }
  return joinAdjacent(blocks.sort((x, y) => x.a - y.a || x.b - y.b))
}

/** Joins blocks of equal lines that follow each other in both lists. */
function joinAdjacent(blocks: readonly Block[]): Block[] {
  const result: Block[] = []
  for (const block of blocks) {
    const last = result.at(-1)
    if (last !== undefined && last.a + last.size === block.a && last.b + last.size === block.b) {
      result[result.length - 1] = { ...last, size: last.size + block.size }
    } else result.push(block)
  }
  return result
}

const manyLines = 200

/** Maps each line to the indexes at which it occurs. Like difflib, omits very frequent lines of long inputs. */
function indexLines(lines: readonly string[]): ReadonlyMap<string, readonly number[]> {
  const positions = new Map<string, number[]>()
  for (const [i, line] of lines.entries()) {
    const linePositions = positions.get(line)
    if (linePositions === undefined) positions.set(line, [i])
    else linePositions.push(i)
  }
  if (lines.length < manyLines) return positions
  const maxPositions = Math.floor(lines.length / 100) + 1
  for (const [line, at] of positions) if (at.length > maxPositions) positions.delete(line)
  return positions
}

interface Window {
  readonly aStart: number
  readonly aEnd: number
  readonly bStart: number
  readonly bEnd: number
  readonly positions: ReadonlyMap<string, readonly number[]>
}

/**
 * Finds the longest run of lines that `a` and `b` have in common. If several have the same length, returns the first in `a`, then the first
 * in `b`.
 */
function findLongestMatch(a: readonly string[], b: readonly string[], { aStart, aEnd, bStart, bEnd, positions }: Window): Block {
  let best: Block = { a: aStart, b: bStart, size: 0 }
  /** Length of the common run that ends at the previous line of `a`, by the index of its last line in `b`. */
  let lengths = new Map<number, number>()
  for (let i = aStart; i < aEnd; i++) {
    const next = new Map<number, number>()
    for (const j of positions.get(a[i]!) ?? []) {
      if (j < bStart) continue
      if (j >= bEnd) break
      const size = (lengths.get(j - 1) ?? 0) + 1
      next.set(j, size)
      if (size > best.size) best = { a: i - size + 1, b: j - size + 1, size }
    }
    lengths = next
  }
  let { a: i, b: j, size } = best
  for (; i > aStart && j > bStart && a[i - 1] === b[j - 1]; size++) {
    i--
    j--
  }
  while (i + size < aEnd && j + size < bEnd && a[i + size] === b[j + size]) size++
  return { a: i, b: j, size }
}
