/** The demand of one priority level for seats, and its bounds. */
export interface SeatTarget {
  /** The number of seats that the level wants. Not less than `lowerBound`. */
  readonly target: number
  readonly lowerBound: number
  readonly upperBound: number
}

export interface SeatAllocation {
  /** The seats of each level, in the order of the demands. They are not rounded. */
  readonly seats: readonly number[]
  /** The share of its target that each level gets whose bounds do not decide. */
  readonly fairFraction: number
}

/** Targets below this are raised to it, so that a level without demand still has a finite relative bound. */
const smallestTarget = 0.001
const tolerance = 1e-7

/**
 * Distributes `total` seats fairly. Each level gets the same fraction of its target, unless that violates one of its bounds. Then it gets the
 * bound. The seats add up to `total`. Throws `RangeError` if the bounds make that impossible.
 *
 *     fraction of the target
 *       ▲        ┌───── upper bound
 *       │      ╱
 *       │────┘  lower bound
 *       └──────────────▶ fairFraction
 *
 * The sum of these lines grows with the fraction, so there is one fraction where it equals `total`. The lines bend only at the relative
 * bounds, so it is enough to walk along the sorted bounds.
 */
export function allocateSeats(total: number, demands: readonly SeatTarget[]): SeatAllocation {
  const levels = demands.map(toRelative)
  const lowest = addUp(levels, ({ lowerBound }) => lowerBound)
  const highest = addUp(levels, ({ upperBound }) => upperBound)
  if (total < 0) throw new RangeError(`cannot allocate ${total} seats`)
  if (lowest - total > tolerance) throw new RangeError(`lower bounds sum to ${lowest}, which is more than the ${total} seats to allocate`)
  if (total - highest > tolerance) throw new RangeError(`upper bounds sum to ${highest}, which is less than the ${total} seats to allocate`)
  if (total === 0) return { seats: levels.map(() => 0), fairFraction: 0 }
  if (lowest - total > -tolerance) {
    return { seats: levels.map(({ lowerBound }) => lowerBound), fairFraction: findMinimum(levels.map(({ lowerBend }) => lowerBend)) }
  }
  if (total - highest > -tolerance) {
    return { seats: levels.map(({ upperBound }) => upperBound), fairFraction: findMaximum(levels.map(({ upperBend }) => upperBend)) }
  }
  const fairFraction = findFraction(total, lowest, levels)
  const seats = levels.map(({ target, lowerBound, upperBound }) => Math.max(lowerBound, Math.min(upperBound, fairFraction * target)))
  return { seats, fairFraction }
}

interface RelativeDemand extends SeatTarget {
  /** The fraction from which the level gets more than its lower bound. */
  readonly lowerBend: number
  /** The fraction from which the level gets its upper bound. */
  readonly upperBend: number
}

function toRelative({ target: wantedSeats, lowerBound, upperBound }: SeatTarget, index: number): RelativeDemand {
  if (lowerBound < 0) throw new RangeError(`lower bound ${index} is ${lowerBound}, which is negative`)
  if (wantedSeats < lowerBound)
    throw new RangeError(`target ${index} is ${wantedSeats}, which is less than its lower bound of ${lowerBound}`)
  if (upperBound < lowerBound)
    throw new RangeError(`upper bound ${index} is ${upperBound}, which is less than the lower bound ${lowerBound}`)
  const target = Math.max(wantedSeats, smallestTarget)
  return { target, lowerBound, upperBound, lowerBend: lowerBound / target, upperBend: upperBound / target }
}

/** Returns the fraction at which all levels together get `total`. `lowest` is the sum of the lower bounds. */
function findFraction(total: number, lowest: number, levels: readonly RelativeDemand[]): number {
  const bends = levels
    .flatMap(({ target, lowerBend, upperBend }) => [
      { at: lowerBend, slope: target },
      { at: upperBend, slope: -target },
    ])
    .sort((a, b) => a.at - b.at)
  let fraction = bends[0]!.at
  let allocated = lowest
  let slope = 0
  for (const bend of bends) {
    const reached = allocated + slope * (bend.at - fraction)
    if (reached >= total) return fraction + (total - allocated) / slope
    allocated = reached
    fraction = bend.at
    slope += bend.slope
  }
  return fraction
}

function addUp<T>(values: readonly T[], read: (value: T) => number): number {
  let result = 0
  for (const value of values) result += read(value)
  return result
}

function findMinimum(values: readonly number[]): number {
  return values.reduce((a, b) => Math.min(a, b), Number.MAX_VALUE)
}

function findMaximum(values: readonly number[]): number {
  return values.reduce((a, b) => Math.max(a, b), 0)
}
