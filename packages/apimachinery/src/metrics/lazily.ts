/** Creates a value on first use and keeps it, for metric series that should appear on first use. */
export function lazily<V>(make: () => V): () => V {
  let made: V | undefined
  return () => (made ??= make())
}
