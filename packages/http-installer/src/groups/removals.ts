type Removal = () => unknown

/** Steps that undo an installation. They run once, in reverse order. */
export class Removals {
  #steps: Removal[] = []
  #running: Promise<void> | undefined

  add(step: Removal): void {
    this.#steps.push(step)
  }

  /** Runs the steps, synchronously up to the first one that waits. All steps run, even after a failure. Rejects with the failures. */
  run(): Promise<void> {
    return (this.#running ??= this.#run())
  }

  /** Runs all steps without waiting. Their failures are ignored, because the caller reports another one. */
  abandon(): void {
    this.#running = Promise.resolve()
    for (const step of this.#steps.splice(0).reverse()) {
      try {
        const pending = step() as Partial<PromiseLike<unknown>> | undefined
        pending?.then?.(undefined, () => {})
      } catch {
        // The other steps must run after a failure too.
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
