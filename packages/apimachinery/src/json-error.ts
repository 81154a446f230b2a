/** Invalid JSON, or JSON that does not fit its type. The message matches Go's; the request handler adds context. */
export class JsonError extends Error {
  override readonly name = 'JsonError'
}

/** Compares by name: packages may be loaded twice. */
export function isJsonError(e: unknown): e is JsonError {
  return e instanceof Error && e.name === 'JsonError'
}
