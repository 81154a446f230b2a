import { waitForNextTurn, sliceMilliseconds } from '@keelson/apimachinery'
import type { FieldErrorList, RequestContext } from '@keelson/apimachinery'
import type { ValidationSteps } from '../resource-definition.ts'

/**
 * Runs a validation with slow steps, such as compiling expressions, in time slices. When a slice is over, the remaining steps return no
 * result. The validation is then called again in the next turn and reuses the results of the earlier steps. Returns a promise only if there
 * is more than one slice. The promise rejects with the signal's reason when the client disconnects.
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
    await waitForNextTurn()
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
  /** End time of the current slice; undefined before its first new step. */
  #end: number | undefined
  #isComplete = true

  /** False if a step of the last call returned no result. */
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
      // New steps get at least as much time as repeating the earlier steps took, so that slices at most double the work.
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
