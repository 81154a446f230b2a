/**
 * Appends the items of a list to another. `list.push(...more)` would put each item on the stack, and a request may have more items than the
 * stack has room. Iterates by index, because the list is usually empty.
 *
 * @example
 * const warnings: string[] = []
 * appendAll(warnings, ['a', 'b'])
 */
export function appendAll<Item>(list: Item[], more: readonly Item[]): void {
  for (let i = 0; i < more.length; i++) list.push(more[i]!)
}
