import { oneSeat } from '../fair-queuing/fair-request.ts'
import type { WorkEstimate } from '../fair-queuing/fair-request.ts'

const watchesPerSeat = 10
/** Time that an event keeps a seat busy for `watchesPerSeat` watches. */
const msPerEvent = 5

/**
 * Estimates a write that `watches` watches may have to be informed about. That work follows the response, so it does not delay the client.
 * It is limited to `mostSeats`, and then takes longer. Few watches cost nothing, so that most writes do not wait.
 */
export function estimateWrite(watches: number, mostSeats: number): WorkEstimate {
  if (watches < watchesPerSeat) return oneSeat
  const seats = Math.ceil(watches / watchesPerSeat)
  const finalSeats = Math.min(seats, mostSeats)
  return { initialSeats: 1, finalSeats, additionalLatency: (seats * msPerEvent) / finalSeats }
}
