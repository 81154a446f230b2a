const sliceMilliseconds = 4

/** Keeps one long loop from holding the thread: asked after each step, it says when it is time to let others run. */
export class TimeSlices {
  readonly #every: number
  #end = performance.now() + sliceMilliseconds
  #steps = 0

  /** `every`: how many steps are taken between two looks at the clock. More than one is for steps that take less than a microsecond. */
  constructor(every = 1) {
    this.#every = every
  }

  /** Undefined, or what to wait for before the next step. */
  due(): Promise<void> | undefined {
    if (++this.#steps < this.#every) return undefined
    this.#steps = 0
    return performance.now() < this.#end ? undefined : this.#pause()
  }

  async #pause(): Promise<void> {
    await new Promise((resolve) => void setImmediate(resolve))
    this.#end = performance.now() + sliceMilliseconds
  }
}
