/**
 * `items.map(change)`, as a list of the kind that `JSON.parse` makes. What the engine's compiler makes of `map` is a list that may have
 * holes: one of those among objects is enough, and all code that reads lists is compiled anew, for both. For lists that become part of
 * objects.
 */
export function mapList<Item, Changed>(items: readonly Item[], change: (item: Item, index: number) => Changed): Changed[] {
  const changed: Changed[] = []
  for (let i = 0; i < items.length; i++) changed.push(change(items[i]!, i))
  return changed
}
