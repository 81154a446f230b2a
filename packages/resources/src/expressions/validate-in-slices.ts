import type { FieldErrorList, RequestContext } from '@keelson/apimachinery'

const sliceMilliseconds = 10

/** The validation that is running now. Set only during synchronous code. */
let current: SlicedRun | undefined

/** Runs an expensive step of a validation, which may pause before it. Its result is kept until the validation is complete. */
export function compileInSlice<T>(compile: () => T): T {
  return current === undefined ? compile() : current.step(compile)
}

/**
 * Runs a validation and pauses it if compiling its expressions takes long. After a pause, `validate` runs again and completed steps return
 * their kept results, so it must run the same steps each time. Returns a promise only after a pause, which rejects when the signal aborts.
 */
export function validateInSlices(
  context: Pick<RequestContext, 'signal'>,
  validate: () => FieldErrorList,
): FieldErrorList | Promise<FieldErrorList> {
  const run = new SlicedRun()
  return runSlice(run, validate) ?? resume(run, validate, context.signal)
}

async function resume(run: SlicedRun, validate: () => FieldErrorList, signal: AbortSignal): Promise<FieldErrorList> {
  for (;;) {
    await new Promise<void>((resolve) => setImmediate(resolve))
    signal.throwIfAborted()
    const errors = runSlice(run, validate)
    if (errors !== undefined) return errors
  }
}

/** Runs the validation; returns undefined if it is time to pause. */
function runSlice(run: SlicedRun, validate: () => FieldErrorList): FieldErrorList | undefined {
  const outer = current
  current = run
  run.begin()
  try {
    return validate()
  } catch (error) {
    if (error instanceof Pause) return undefined
    throw error
  } finally {
    current = outer
  }
}

class Pause extends Error {}

class SlicedRun {
  readonly #done: unknown[] = []
  #next = 0
  #began = 0
  #end: number | undefined

  begin(): void {
    this.#next = 0
    this.#began = performance.now()
    this.#end = undefined
  }

  /** Gives new steps at least as much time as replaying the completed ones took, so that pauses at most double the work. */
  step<T>(run: () => T): T {
    if (this.#next < this.#done.length) return this.#done[this.#next++] as T
    const now = performance.now()
    if (this.#end === undefined) this.#end = now + Math.max(sliceMilliseconds, now - this.#began)
    else if (now > this.#end) throw new Pause()
    const result = run()
    this.#done.push(result)
    this.#next++
    return result
  }
}
