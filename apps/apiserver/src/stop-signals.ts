/** Signals that come so close together are one: a terminal sends Ctrl-C to the server, to npm and to the start script, and the latter two pass it on. */
const sameWithinMs = 500

export interface StopSignals {
  readonly stop: (signal: NodeJS.Signals) => void
  /** Ends without waiting for anything. */
  readonly abandon: () => void
  readonly now: () => number
}

/** Handles signals: the first stops, one that comes later abandons the stop. */
export function createStopSignals({ stop, abandon, now }: StopSignals): (signal: NodeJS.Signals) => void {
  let first: number | undefined
  return (signal) => {
    if (first === undefined) {
      first = now()
      stop(signal)
    } else if (now() - first >= sameWithinMs) abandon()
  }
}
