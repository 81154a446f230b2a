/**
 * Appends the items of a list to another. Not `list.push(...more)`: each item would become an argument on the stack, and a request has room for
 * more items than a stack has. By index, because mostly there are none.
 *
 * @example
 * const warnings: string[] = []
 * appendAll(warnings, ['a', 'b'])
 */
export function appendAll<Item>(list: Item[], more: readonly Item[]): void {
  for (let i = 0; i < more.length; i++) list.push(more[i]!)
}
