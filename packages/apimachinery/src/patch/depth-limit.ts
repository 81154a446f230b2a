import { newBadRequest } from '../api-errors.ts'

/** Patches follow their input's nesting on the stack; what is too deep for that is refused. */
export function withDepthLimit<T>(apply: () => T): T {
  try {
    return apply()
  } catch (e) {
    if (e instanceof RangeError) throw newBadRequest('exceeded max depth', { cause: e })
    throw e
  }
}
