type Removal = () => unknown

/** Steps that take something back: the last one added runs first, each once. */
export class Removals {
  #steps: Removal[] = []
  #running: Promise<void> | undefined

  add(step: Removal): void {
    this.#steps.push(step)
  }

  /** Runs synchronously up to the first step that waits. All steps run, also after one that fails; rejects with what failed. */
  run(): Promise<void> {
    return (this.#running ??= this.#run())
  }

  /** Runs every step at once. Their failures are not reported, because another failure is. */
  abandon(): void {
    this.#running = Promise.resolve()
    for (const step of this.#steps.splice(0).reverse()) {
      try {
        const pending = step() as Partial<PromiseLike<unknown>> | undefined
        pending?.then?.(undefined, () => {})
      } catch {
        // The other steps must run all the same.
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
