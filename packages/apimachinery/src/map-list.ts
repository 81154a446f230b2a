/**
 * Like `items.map(change)`, but returns a packed array as `JSON.parse` does. V8's optimized `map` returns a holey array, and one of those
 * among API objects deoptimizes all code that reads lists. Use it for lists that become part of API objects.
 */
export function mapList<Item, Changed>(items: readonly Item[], change: (item: Item, index: number) => Changed): Changed[] {
  const changed: Changed[] = []
  for (let i = 0; i < items.length; i++) changed.push(change(items[i]!, i))
  return changed
}
