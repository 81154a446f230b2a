/** Resolves in the next turn of the event loop, after the input and output that is ready by then. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}

let shared: Promise<void> | undefined

/**
 * The same as `nextTurn`, with one promise for all callers of this turn. The callers then continue in step: all pass one `await` before any of
 * them reaches the next. A write runs a lot of code, and code that runs for many requests in a row stays in the processor's cache. Under load
 * that saves a third of a create's processor time; a single request waits a few microseconds.
 */
export function sharedNextTurn(): Promise<void> {
  shared ??= new Promise((resolve) => {
    setImmediate(() => {
      shared = undefined
      resolve()
    })
  })
  return shared
}
