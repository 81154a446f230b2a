/**
 * Period in milliseconds in which several signals count as one. On Ctrl-C, a terminal signals the server, npm and the start script, and the
 * latter two forward the signal.
 */
const sameWithinMs = 500

export interface StopSignals {
  readonly stop: (signal: NodeJS.Signals) => void
  /** Ends the process immediately. */
  readonly abandon: () => void
  readonly now: () => number
}

/** Creates a signal handler. The first signal starts the graceful shutdown, and a later one ends the process immediately. */
export function createStopSignals({ stop, abandon, now }: StopSignals): (signal: NodeJS.Signals) => void {
  let first: number | undefined
  return (signal) => {
    if (first === undefined) {
      first = now()
      stop(signal)
    } else if (now() - first >= sameWithinMs) abandon()
  }
}
