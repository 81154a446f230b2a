import { allocateSeats } from './allocate-seats.ts'
import type { PriorityLevel } from './priority-level.ts'

/** The result of an adjustment, for metrics. */
export interface Adjustment {
  /** The fraction of its target that each level gets whose bounds do not decide. 0 if there are not enough seats. */
  readonly fairFraction: number
  /** The seats that each level should get by its demand, by name. */
  readonly targets: ReadonlyMap<string, number>
}

/**
 * Distributes the seats of the server by the recent demand of its priority levels: levels lend seats that they do not need. A level gets at
 * least the smaller of its nominal seats and its highest recent demand, and never less than it keeps by configuration. The exempt level takes
 * what its requests occupy. `onProblem` is called if the seats cannot be distributed; they then stay as they are.
 */
export function adjustSeats(levels: Iterable<PriorityLevel>, serverSeats: number, onProblem: (error: unknown) => void): Adjustment {
  const demands = Array.from(levels, (level) => {
    level.demand.update(level.queues.demand.reset())
    return { level, least: findLeast(level) }
  })
  const total = demands.reduce((sum, { level }) => sum + level.limits.nominal, 0)
  const limited = demands.filter(({ level }) => !level.isExempt)
  const remaining = demands.reduce((unassigned, { level, least }) => (level.isExempt ? unassigned - least : unassigned), total)
  const configured = limited.reduce((sum, { level }) => sum + level.limits.minimum, 0)
  const needed = limited.reduce((sum, { least }) => sum + least, 0)
  const targets = new Map(demands.map(({ level, least }) => [level.name, level.isExempt ? least : Math.max(least, level.demand.smoothed)]))

  let fairFraction = 0
  for (const { level, least } of demands) if (level.isExempt) level.setSeats(least, serverSeats)
  if (remaining <= configured) {
    for (const { level } of limited) level.setSeats(level.limits.minimum, serverSeats)
  } else if (remaining <= needed) {
    const share = (remaining - configured) / (needed - configured)
    for (const { level, least } of limited) {
      level.setSeats(level.limits.minimum + Math.round((least - level.limits.minimum) * share), serverSeats)
    }
  } else {
    try {
      const bounds = limited.map(({ level, least }) => ({
        target: targets.get(level.name)!,
        lowerBound: least,
        upperBound: level.limits.maximum,
      }))
      const allocation = allocateSeats(total, bounds)
      fairFraction = allocation.fairFraction
      limited.forEach(({ level }, i) => level.setSeats(Math.round(allocation.seats[i]!), serverSeats))
    } catch (error) {
      onProblem(error)
      for (const { level } of limited) level.setSeats(level.currentSeats, serverSeats)
    }
  }
  return { fairFraction, targets }
}

/** Returns the seats that a level gets at least. */
function findLeast({ isExempt, limits, demand }: PriorityLevel): number {
  const wantedSeats = isExempt ? demand.highWatermark : Math.min(limits.nominal, demand.highWatermark)
  return Math.max(limits.minimum, wantedSeats)
}
