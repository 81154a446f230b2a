import { newBadRequest } from '../api-errors.ts'

/** Patches recurse through their input, so nesting beyond the stack is rejected. */
export function withDepthLimit<T>(apply: () => T): T {
  try {
    return apply()
  } catch (e) {
    if (e instanceof RangeError) throw newBadRequest('exceeded max depth', { cause: e })
    throw e
  }
}
