import type { DemandStatistics } from '../fair-queuing/seat-demand.ts'

/** The weight of the past in the smoothed demand. Its influence is halved in five minutes. */
const pastWeight = 0.977

/**
 * The demand of a priority level, updated at each adjustment. The smoothed demand follows the average plus the standard deviation. It rises
 * immediately and falls slowly.
 */
export class DemandHistory {
  average = 0
  deviation = 0
  highWatermark = 0
  smoothed = 0

  update({ average, deviation, max, milliseconds }: DemandStatistics): void {
    this.highWatermark = Math.round(max)
    if (milliseconds <= 0) return
    this.average = average
    this.deviation = Number.isNaN(deviation) ? 0 : deviation
    const envelope = this.average + this.deviation
    this.smoothed = Math.max(envelope, pastWeight * this.smoothed + (1 - pastWeight) * envelope)
  }
}
