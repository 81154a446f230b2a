import type { Figure, Unit } from './item.ts'
import { compare } from './judge.ts'

/** Accepted loss as a share of the base revision's result. */
const tolerated = 0.15

export interface Comparison {
  /** Result relative to the base; above 1 is better. `value` compares the figures, `cost` the server's cost per response. */
  readonly value: number
  readonly cost: number | undefined
  readonly regressed: boolean
}

/**
 * Compares results with the base revision. Both longer waiting and more processor time are regressions; the worse of the two decides. Uses
 * the median of the rounds' ratios: more than half of the rounds must exceed the tolerance. Averages would be distorted by rounds in
 * which another process used the processor.
 */
export function compareWithBase(unit: Unit, ours: readonly Figure[], base: readonly Figure[]): Comparison {
  const value = compare(unit, withoutCores(ours), withoutCores(base)).reached
  const costs = compare('ms', listCosts(ours), listCosts(base)).reached
  const cost = Number.isFinite(costs) ? costs : undefined
  return { value, cost, regressed: Math.min(value, cost ?? value) < 1 - tolerated }
}

/** Removes core counts, so that all rounds count regardless of the busy side. */
function withoutCores(rounds: readonly Figure[]): Figure[] {
  return rounds.map(({ value }) => ({ value }))
}

function listCosts(rounds: readonly Figure[]): Figure[] {
  return rounds.map(({ serverCpu }) => ({ value: serverCpu ?? NaN }))
}
