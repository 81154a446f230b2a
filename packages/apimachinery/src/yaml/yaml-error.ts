/** Thrown for invalid YAML and for YAML without a JSON equivalent. The message is go-yaml's, or similar. */
export class YamlError extends Error {
  override readonly name = 'YamlError'

  constructor(message: string, options?: { readonly cause?: unknown }) {
    super(`yaml: ${message}`, options)
  }
}

/** Returns whether the error is a `YamlError`. Compares names, because a package can be loaded twice. */
export function isYamlError(e: unknown): e is YamlError {
  return e instanceof Error && e.name === 'YamlError'
}
