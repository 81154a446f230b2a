/** Calls `next` with the value: at once if it is there, when it resolves if it is a promise. Waiting for a value that is there costs a turn. */
export function maybeThen<T, Next>(value: T | Promise<T>, next: (value: T) => Next | Promise<Next>): Next | Promise<Next> {
  return value instanceof Promise ? value.then(next) : next(value)
}
