/** Thrown when an evaluation does too much work that its cost does not reflect. */
export class TooMuchWork extends Error {}

/** Elements compared between two pauses. */
const maxWork = 500_000

/**
 * Counts work that the cost of an expression does not reflect, such as comparing nested lists. A value may share parts with itself, so that
 * comparing it takes exponentially longer than building it. Evaluation is synchronous between two pauses, so one counter is enough.
 */
export const workload = {
  done: 0,

  add(steps: number): void {
    this.done += steps
    if (this.done > maxWork) throw new TooMuchWork()
  },
}
