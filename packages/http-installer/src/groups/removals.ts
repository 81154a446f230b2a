type Removal = () => unknown

/** List of functions that undo an installation. They run once, in reverse order. */
export class Removals {
  #steps: Removal[] = []
  #running: Promise<void> | undefined

  add(step: Removal): void {
    this.#steps.push(step)
  }

  /**
   * Runs the functions in reverse order. Runs synchronously until a function returns a promise. If a function fails, the others still run.
   * Rejects with all failures.
   */
  run(): Promise<void> {
    return (this.#running ??= this.#run())
  }

  /** Runs all functions without waiting for them. Failures are ignored, because the caller reports another error. */
  abandon(): void {
    this.#running = Promise.resolve()
    for (const step of this.#steps.splice(0).reverse()) {
      try {
        const pending = step() as Partial<PromiseLike<unknown>> | undefined
        pending?.then?.(undefined, () => {})
      } catch {
        // Continues after a failure.
      }
    }
  }

  async #run(): Promise<void> {
    const failures: unknown[] = []
    for (const step of this.#steps.splice(0).reverse()) {
      try {
        const pending = step()
        if (typeof (pending as Partial<PromiseLike<void>> | undefined)?.then === 'function') await pending
      } catch (error) {
        failures.push(error)
      }
    }
    if (failures.length === 1) throw failures[0]
    if (failures.length > 1) throw new AggregateError(failures, 'some parts of the group could not be removed')
  }
}
