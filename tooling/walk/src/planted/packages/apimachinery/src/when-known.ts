/** A helper between the caller and the closure. */
export function whenKnown<T, U>(value: T, next: (value: T) => U): U {
  return next(value)
}
