/** Made when it is first asked for, and kept: a series that should appear with its first use, and be looked up no more. */
export function lazily<V>(make: () => V): () => V {
  let made: V | undefined
  return () => (made ??= make())
}
