/**
 * An amount of work: seats multiplied by time, in units of 10 nanoseconds on one seat. These are kube-apiserver's units, so that rounding gives
 * the same order of requests. Values are integers below 2^53 (2.8 years on one seat).
 */
export type SeatSeconds = number

const unitsPerSecond = 1e8
const nanosecondsPerUnit = 10

/** Multiplies seats by a time in nanoseconds. Rounds halves away from zero, like Go. */
export function multiplySeats(seats: number, nanoseconds: number): SeatSeconds {
  const work = (seats * nanoseconds) / nanosecondsPerUnit
  return work < 0 ? -Math.round(-work) : Math.round(work)
}

/** Returns the nanoseconds that the work takes on the given number of seats, rounded down. */
export function divideBySeats(work: SeatSeconds, seats: number): number {
  return Math.trunc((work / seats) * nanosecondsPerUnit)
}

export function convertToSeconds(work: SeatSeconds): number {
  return work / unitsPerSecond
}

/** Formats work like kube-apiserver's debug endpoints: "1.50000000ss". */
export function formatSeatSeconds(work: SeatSeconds): string {
  const size = Math.abs(work)
  const wholeSeconds = Math.floor(size / unitsPerSecond)
  return `${work < 0 ? '-' : ''}${wholeSeconds}.${String(size - wholeSeconds * unitsPerSecond).padStart(8, '0')}ss`
}
