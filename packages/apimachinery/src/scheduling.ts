/** Maximum time in milliseconds that a loop may block the thread. */
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
  readonly #stepsPerCheck: number
  #end = performance.now() + sliceMilliseconds
  #steps = 0

  /** `stepsPerCheck`: steps between two checks of the clock. Use more than one for steps of less than a microsecond. */
  constructor(stepsPerCheck = 1) {
    this.#stepsPerCheck = stepsPerCheck
  }

  get isOver(): boolean {
    return performance.now() >= this.#end
  }

  /** Ends a step of the loop. If the slice is over, returns a promise to await before the next step; otherwise undefined. */
  pauseIfOver(): Promise<void> | undefined {
    if (++this.#steps < this.#stepsPerCheck) return undefined
    this.#steps = 0
    return this.isOver ? this.#pause() : undefined
  }

  /** Starts a new slice, for loops that have awaited something else. */
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

/** Waits two turns. After one turn, requests that were read in that turn have not run yet. */
async function twoTurns(): Promise<void> {
  await nextTurn()
  await nextTurn()
}

/** Resolves in the next turn of the event loop, after pending input and output. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}

let shared: Promise<void> | undefined

/**
 * Like `nextTurn`, with one promise for all callers of this turn. All callers then pass one `await` before any of them reaches the next.
 * Code that runs for many requests in a row stays in the processor's cache, which saves a third of the processor time of a create under
 * load. A single request waits a few microseconds.
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

/** Calls `next` with a value, or with the result of a promise. Calls it immediately for a plain value, because `await` would delay it. */
export function maybeThen<T, Next>(value: T | Promise<T>, next: (value: T) => Next | Promise<Next>): Next | Promise<Next> {
  return value instanceof Promise ? value.then(next) : next(value)
}
