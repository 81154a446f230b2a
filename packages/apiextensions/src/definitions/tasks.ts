import { TimeSlice } from '@keelson/apimachinery'
import type { ValidationSteps } from '@keelson/registry'

/** A long computation that yields after each small part of its work. */
export type Task<Result> = Generator<undefined, Result>

/** The time after which a step of a task ends, in milliseconds. */
const stepMilliseconds = 1

/**
 * Runs a task as steps of a validation, so that other requests run in between. Returns undefined if the time of this turn is used up.
 * Without `steps`, runs the whole task.
 */
export function runTask<Result extends object>(steps: ValidationSteps | undefined, start: () => Task<Result>): Result | undefined {
  if (steps === undefined) return finishTask(start())
  const task = steps.run(start)
  if (task === undefined) return undefined
  for (;;) {
    const progress = steps.run(() => advance(task))
    if (progress === undefined) return undefined
    if (progress.done) return progress.value
  }
}

/** Runs a single step of a validation. Returns undefined if the time of this turn is used up. */
export function runOnce<T>(steps: ValidationSteps | undefined, step: () => T): T | undefined {
  return steps === undefined ? step() : steps.run(step)
}

type Progress<Result> = { readonly done: false } | { readonly done: true; readonly value: Result }

function advance<Result>(task: Task<Result>): Progress<Result> {
  const end = performance.now() + stepMilliseconds
  do {
    const next = task.next()
    if (next.done === true) return { done: true, value: next.value }
  } while (performance.now() < end)
  return { done: false }
}

/** Runs a whole task without a pause. */
export function finishTask<Result>(task: Task<Result>): Result {
  for (;;) {
    const progress = advance(task)
    if (progress.done) return progress.value
  }
}

/** Runs a task in time slices, so that other requests run in between. Returns a promise only for a task that takes longer than a slice. */
export function runInSlices<Result>(task: Task<Result>): Result | Promise<Result> {
  const slice = new TimeSlice()
  const run = (): Result | Promise<Result> => {
    for (;;) {
      const progress = advance(task)
      if (progress.done) return progress.value
      const pause = slice.pauseIfOver()
      if (pause !== undefined) return pause.then(run)
    }
  }
  return run()
}
