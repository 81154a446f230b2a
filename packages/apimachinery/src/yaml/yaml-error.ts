/** Text that is not YAML, or YAML that JSON cannot hold. The message is the original's, as near as our parser can tell. */
export class YamlError extends Error {
  override readonly name = 'YamlError'

  constructor(message: string, options?: { readonly cause?: unknown }) {
    super(`yaml: ${message}`, options)
  }
}

/** By name: packages may be loaded twice. */
export function isYamlError(e: unknown): e is YamlError {
  return e instanceof Error && e.name === 'YamlError'
}
