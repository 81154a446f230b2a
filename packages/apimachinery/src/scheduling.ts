/** Maximum time a loop may block the thread, ms. */
export const sliceMilliseconds = 5

/**
 * Divides a long loop into slices, so that other work gets the thread in between.
 *
 * @example
 * const slice = new TimeSlice()
 * for (const item of items) {
 *   handle(item)
 *   const pause = slice.pauseIfOver()
 *   if (pause) await pause
 * }
 */
export class TimeSlice {
  readonly #stepsPerLook: number
  #end = performance.now() + sliceMilliseconds
  #steps = 0

  /** `stepsPerLook`: steps between two checks of the clock. Use more than one for steps of less than a microsecond. */
  constructor(stepsPerLook = 1) {
    this.#stepsPerLook = stepsPerLook
  }

  get isOver(): boolean {
    return performance.now() >= this.#end
  }

  /** Call it after each step. Returns undefined, or a promise to wait for before the next step. */
  pauseIfOver(): Promise<void> | undefined {
    if (++this.#steps < this.#stepsPerLook) return undefined
    this.#steps = 0
    return this.isOver ? this.#pause() : undefined
  }

  /** Starts a new slice. For loops that waited for something else. */
  restart(): void {
    this.#end = performance.now() + sliceMilliseconds
  }

  async #pause(): Promise<void> {
    await nextTurn()
    this.restart()
  }
}

/**
 * Lets other requests continue between two steps of one request. `began` is the first step's start (`performance.now()`). Returns undefined after
 * a step within one slice, else a promise that resolves in a later turn of the event loop.
 *
 * @example
 * const began = performance.now()
 * decode()
 * const rest = restAfter(began)
 * if (rest !== undefined) await rest
 */
export function restAfter(began: number): Promise<void> | undefined {
  return performance.now() - began < sliceMilliseconds ? undefined : twoTurns()
}

/** One turn is not enough: a request that is read in it continues at its end, behind the requests that waited before it. */
async function twoTurns(): Promise<void> {
  await nextTurn()
  await nextTurn()
}

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

/** Calls `next` with the value: at once if it is there, when it resolves if it is a promise. Waiting for a value that is there costs a turn. */
export function maybeThen<T, Next>(value: T | Promise<T>, next: (value: T) => Next | Promise<Next>): Next | Promise<Next> {
  return value instanceof Promise ? value.then(next) : next(value)
}
