import { nextTurn } from './next-turn.ts'

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
