import type { Figure, Unit } from './item.ts'
import { compare } from './judge.ts'

/** Loss that is not yet a regression, as a share of the base revision's result. */
const tolerated = 0.15

export interface Comparison {
  /** Measured value relative to the base revision. Above 1 is better. `cost` is the same for the server's processor time per response. */
  readonly value: number
  readonly cost: number | undefined
  readonly regressed: boolean
}

/**
 * Compares results with the base revision. A worse value and more processor time are both regressions, and the worse of the two decides.
 * Uses the median of the rounds' ratios, so that more than half of the rounds must exceed the tolerance. An average would be distorted by
 * rounds in which another process used the processor.
 */
export function compareWithBase(unit: Unit, ours: readonly Figure[], base: readonly Figure[]): Comparison {
  const value = compare(unit, withoutCores(ours), withoutCores(base)).reached
  const costs = compare('ms', listCosts(ours), listCosts(base)).reached
  const cost = Number.isFinite(costs) ? costs : undefined
  return { value, cost, regressed: Math.min(value, cost ?? value) < 1 - tolerated }
}

/** Removes the core counts from rounds, so that `compare` uses all rounds, including those with the client as the bottleneck. */
function withoutCores(rounds: readonly Figure[]): Figure[] {
  return rounds.map(({ value }) => ({ value }))
}

function listCosts(rounds: readonly Figure[]): Figure[] {
  return rounds.map(({ serverCpu }) => ({ value: serverCpu ?? NaN }))
}
