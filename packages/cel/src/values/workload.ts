/** Thrown when an evaluation does too much work that its cost does not reflect. */
export class TooMuchWork extends Error {}

/** Maximum number of elements that may be visited between two pauses. */
const maxElements = 500_000

/**
 * Counts work that the cost of an expression does not reflect, such as comparing nested lists. A list may contain another list several
 * times, so comparing it can take exponentially longer than building it. Evaluation is synchronous between two pauses, so one global
 * counter is enough.
 */
export const workload = {
  /** Work since the last pause, in steps. */
  done: 0,
  elements: 0,

  /** Adds visited elements to the counter. Throws `TooMuchWork` above the limit. */
  add(elements: number): void {
    this.done += elements
    this.elements += elements
    if (this.elements > maxElements) throw new TooMuchWork()
  },

  /** Adds the reading of a text to the counter. The length of the text is limited, so this never throws. */
  read(text: string, charactersPerStep: number): void {
    if (text.length > 1024) this.done += text.length / charactersPerStep
  },

  reset(): void {
    this.done = 0
    this.elements = 0
  },
}
