import { nextTurn, sliceMilliseconds } from '@keelson/apimachinery'
import type { FieldErrorList, RequestContext } from '@keelson/apimachinery'
import type { ValidationSteps } from '@keelson/registry'

/**
 * Runs a validation whose steps, the compilation of expressions, may take long. When the slice is over, the remaining steps give no result and the
 * validation is called again in the next turn, with the results of the earlier steps. A promise only if there was more than one slice; it rejects
 * with the signal's reason when the client has left.
 *
 * @example
 * const errors = await validateInSlices(context, (steps) => strategy.validateCreate?.(context, object, steps) ?? [])
 */
export function validateInSlices(
  context: Pick<RequestContext, 'signal'>,
  validate: (steps: ValidationSteps) => FieldErrorList,
): FieldErrorList | Promise<FieldErrorList> {
  const steps = new SlicedSteps()
  const errors = validate(steps)
  return steps.isComplete ? errors : continueInSlices(steps, validate, context.signal)
}

async function continueInSlices(
  steps: SlicedSteps,
  validate: (steps: ValidationSteps) => FieldErrorList,
  signal: AbortSignal,
): Promise<FieldErrorList> {
  for (;;) {
    await nextTurn()
    signal.throwIfAborted()
    steps.startSlice()
    const errors = validate(steps)
    if (steps.isComplete) return errors
  }
}

class SlicedSteps implements ValidationSteps {
  readonly #results: unknown[] = []
  #next = 0
  #start = performance.now()
  /** Undefined before the first new step of the slice. */
  #end: number | undefined
  #isComplete = true

  /** False if a step of the last call gave no result. */
  get isComplete(): boolean {
    return this.#isComplete
  }

  startSlice(): void {
    this.#next = 0
    this.#start = performance.now()
    this.#end = undefined
    this.#isComplete = true
  }

  run<T>(step: () => T): T | undefined {
    if (this.#next < this.#results.length) return this.#results[this.#next++] as T
    if (!this.#isComplete) return undefined
    const now = performance.now()
    if (this.#end === undefined) {
      // New steps take at least as long as the way to the first of them, so that slices at most double the work.
      this.#end = now + Math.max(sliceMilliseconds, now - this.#start)
    } else if (now > this.#end) {
      this.#isComplete = false
      return undefined
    }
    const result = step()
    this.#results.push(result)
    this.#next++
    return result
  }
}
