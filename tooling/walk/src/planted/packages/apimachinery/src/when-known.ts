/** Calls `next` with `value`. */
export function whenKnown<T, U>(value: T, next: (value: T) => U): U {
  return next(value)
}
