/**
 * Merges lists of names into one list that keeps the order of each. Names whose order no list determines are sorted. If the lists contradict each
 * other, all names are sorted. A list that has all names is returned unchanged.
 *
 * @example
 * mergeOrders([['a', 'c'], ['b', 'c']]) // ['a', 'b', 'c']
 */
export function mergeOrders(lists: readonly (readonly string[])[]): readonly string[] {
  const names = new Set(lists.flat())
  const complete = lists.find((list) => list.length === names.size && new Set(list).size === list.length)
  if (complete !== undefined) return complete
  const followers = new Map(Array.from(names, (name) => [name, new Set<string>()]))
  const predecessors = new Map(Array.from(names, (name) => [name, 0]))
  for (const list of lists) {
    for (const [i, name] of list.entries()) {
      const next = list[i + 1]
      if (next === undefined || followers.get(name)!.has(next)) continue
      followers.get(name)!.add(next)
      predecessors.set(next, predecessors.get(next)! + 1)
    }
  }
  const free = [...names].filter((name) => predecessors.get(name) === 0)
  const ordered: string[] = []
  while (free.length > 0) {
    // Discovery has about a hundred groups, so sorting again is cheap.
    free.sort(compareBytes)
    const name = free.shift()!
    ordered.push(name)
    for (const next of followers.get(name)!) {
      const left = predecessors.get(next)! - 1
      predecessors.set(next, left)
      if (left === 0) free.push(next)
    }
  }
  return ordered.length === names.size ? ordered : [...names].toSorted(compareBytes)
}

function compareBytes(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
