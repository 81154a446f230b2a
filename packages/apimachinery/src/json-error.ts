/** Text that is not JSON, or JSON that does not fit its type. The message is the one the original would give; whoever answers the request adds the rest. */
export class JsonError extends Error {
  override readonly name = 'JsonError'
}

/** By name: packages may be loaded twice. */
export function isJsonError(e: unknown): e is JsonError {
  return e instanceof Error && e.name === 'JsonError'
}
