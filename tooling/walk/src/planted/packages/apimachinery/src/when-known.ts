/** Calls `next` with `value`. */
export function runWhenKnown<T, U>(value: T, next: (value: T) => U): U {
  return next(value)
}
