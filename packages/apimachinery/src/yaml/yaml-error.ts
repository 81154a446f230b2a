/** Thrown for invalid YAML, and for YAML without a JSON equivalent. The message is go-yaml's, or similar to it. */
export class YamlError extends Error {
  override readonly name = 'YamlError'

  constructor(message: string, options?: { readonly cause?: unknown }) {
    super(`yaml: ${message}`, options)
  }
}

/** Returns whether a thrown value is a `YamlError`. Compares the name of the class, because two copies of this package may be loaded. */
export function isYamlError(e: unknown): e is YamlError {
  return e instanceof Error && e.name === 'YamlError'
}
