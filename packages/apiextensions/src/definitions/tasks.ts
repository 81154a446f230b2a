import { advanceTask, finishTask } from '@keelson/apimachinery'
import type { Task } from '@keelson/apimachinery'
import type { ValidationSteps } from '@keelson/registry'

/**
 * Runs a task as steps of a validation, so that other requests run in between. Returns undefined if the time of this turn is used up.
 * Without `steps`, runs the whole task.
 */
export function runTask<Result extends object>(steps: ValidationSteps | undefined, start: () => Task<Result>): Result | undefined {
  if (steps === undefined) return finishTask(start())
  const task = steps.run(start)
  if (task === undefined) return undefined
  for (;;) {
    const progress = steps.run(() => advanceTask(task))
    if (progress === undefined) return undefined
    if (progress.done) return progress.value
  }
}

/** Runs a single step of a validation. Returns undefined if the time of this turn is used up. */
export function runOnce<T>(steps: ValidationSteps | undefined, step: () => T): T | undefined {
  return steps === undefined ? step() : steps.run(step)
}
