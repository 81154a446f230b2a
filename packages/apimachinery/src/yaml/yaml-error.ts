/** Invalid YAML, or YAML without a JSON equivalent. The message follows go-yaml's as closely as our parser allows. */
export class YamlError extends Error {
  override readonly name = 'YamlError'

  constructor(message: string, options?: { readonly cause?: unknown }) {
    super(`yaml: ${message}`, options)
  }
}

/** Compares by name: packages may be loaded twice. */
export function isYamlError(e: unknown): e is YamlError {
  return e instanceof Error && e.name === 'YamlError'
}
