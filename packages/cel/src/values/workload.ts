/** Thrown when an evaluation does too much work that its cost does not reflect. */
export class TooMuchWork extends Error {}

/** Elements visited between two pauses. */
const maxElements = 500_000

/**
 * Counts work that the cost of an expression does not reflect, such as comparing nested lists. A value may share parts with itself, so that
 * comparing it takes exponentially longer than building it. Evaluation is synchronous between two pauses, so one counter is enough.
 */
export const workload = {
  /** Steps since the last pause. */
  done: 0,
  elements: 0,

  /** Counts visited elements. */
  add(elements: number): void {
    this.done += elements
    this.elements += elements
    if (this.elements > maxElements) throw new TooMuchWork()
  },

  /** Counts the reading of a text, which is bounded by its length. */
  read(text: string, charactersPerStep: number): void {
    if (text.length > 1024) this.done += text.length / charactersPerStep
  },

  reset(): void {
    this.done = 0
    this.elements = 0
  },
}
