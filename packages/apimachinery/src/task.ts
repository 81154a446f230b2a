import { TimeSlice } from './scheduling.ts'

/** A long computation that yields after each small part of its work. */
export type Task<Result> = Generator<undefined, Result>

/** The time after which a step of a task ends, in milliseconds. */
const stepMilliseconds = 1

/** Result of one step of a task. */
export type TaskProgress<Result> = { readonly done: false } | { readonly done: true; readonly value: Result }

/** Runs a task for about a millisecond. */
export function advanceTask<Result>(task: Task<Result>): TaskProgress<Result> {
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
    const next = task.next()
    if (next.done === true) return next.value
  }
}

/** Runs a task in time slices, so that other requests run in between. Returns a promise only for a task that takes longer than a slice. */
export function runInSlices<Result>(task: Task<Result>): Result | Promise<Result> {
  const slice = new TimeSlice()
  const run = (): Result | Promise<Result> => {
    for (;;) {
      const progress = advanceTask(task)
      if (progress.done) return progress.value
      const pause = slice.pauseIfOver()
      if (pause !== undefined) return pause.then(run)
    }
  }
  return run()
}
