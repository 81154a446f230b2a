/** The period in which several signals count as one. A terminal sends Ctrl-C to the server, npm and the start script, and the latter two forward it. */
const sameWithinMs = 500

export interface StopSignals {
  readonly stop: (signal: NodeJS.Signals) => void
  /** Ends the process without waiting. */
  readonly abandon: () => void
  readonly now: () => number
}

/** Creates a signal handler: the first signal starts the shutdown, and a later one aborts it. */
export function createStopSignals({ stop, abandon, now }: StopSignals): (signal: NodeJS.Signals) => void {
  let first: number | undefined
  return (signal) => {
    if (first === undefined) {
      first = now()
      stop(signal)
    } else if (now() - first >= sameWithinMs) abandon()
  }
}
