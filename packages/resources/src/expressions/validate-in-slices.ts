import type { FieldErrorList, RequestContext } from '@keelson/apimachinery'

const sliceMilliseconds = 10

/** The validation that runs at the moment. Only while it does: nothing is awaited there. */
let current: SlicedRun | undefined

/** A step of a validation that takes long enough to pause behind it. What it gives is kept until the whole validation is done. */
export function compileInSlice<T>(compile: () => T): T {
  return current === undefined ? compile() : current.step(compile)
}

/**
 * Runs a validation with pauses, when compiling its expressions takes long. Behind a pause it begins anew, and the steps that are done give
 * what they gave before: so `validate` must do the same steps each time. A promise only if there were pauses; it rejects with the signal's
 * reason when nobody waits any more.
 */
export function validateInSlices(
  context: Pick<RequestContext, 'signal'>,
  validate: () => FieldErrorList,
): FieldErrorList | Promise<FieldErrorList> {
  const run = new SlicedRun()
  return slice(run, validate) ?? continued(run, validate, context.signal)
}

async function continued(run: SlicedRun, validate: () => FieldErrorList, signal: AbortSignal): Promise<FieldErrorList> {
  for (;;) {
    await new Promise<void>((resolve) => setImmediate(resolve))
    signal.throwIfAborted()
    const errors = slice(run, validate)
    if (errors !== undefined) return errors
  }
}

/** Undefined when it was time to pause. */
function slice(run: SlicedRun, validate: () => FieldErrorList): FieldErrorList | undefined {
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

  /** New steps take at least as long as coming back to them took: so pauses no more than double the work. */
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
