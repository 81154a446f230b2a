/** Asked for one value after the other, says whether it was asked for that value before. */
export function repeatCheck<T>(): (value: T) => boolean {
  const seen = new Set<T>()
  return (value) => seen.size === seen.add(value).size
}
