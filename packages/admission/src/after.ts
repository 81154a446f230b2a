/** Passes a value or its resolution to `next`; synchronous unless the value is a promise. */
export function after<T, R>(value: T | Promise<T>, next: (value: T) => R): R | Promise<Awaited<R>> {
  return value instanceof Promise ? (value.then(next) as Promise<Awaited<R>>) : next(value)
}
