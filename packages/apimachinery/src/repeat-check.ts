/** Returns a predicate that is true for values it has seen before. */
export function repeatCheck<T>(): (value: T) => boolean {
  const seen = new Set<T>()
  return (value) => seen.size === seen.add(value).size
}
