import type { Figure, Unit } from './item.ts'
import { compare } from './judge.ts'

/** Of what the base revision gives. */
const tolerated = 0.15

export interface Comparison {
  /** Ours as a multiple of the base's, above 1 is better: by its figures, and by what an answer costs the server. */
  readonly value: number
  readonly cost: number | undefined
  readonly regressed: boolean
}

/**
 * A server that waits longer and one that works more are both slower: whichever of the two is worse decides. It is the middle of the rounds'
 * ratios, which is a test of signs: beyond what is tolerated in more than half of them. Tests that weigh how far off a round is are misled by the
 * few in which something else had the processor.
 */
export function compareWithBase(unit: Unit, ours: readonly Figure[], base: readonly Figure[]): Comparison {
  const value = compare(unit, bareOfCores(ours), bareOfCores(base)).reached
  const costs = compare('ms', costsOf(ours), costsOf(base)).reached
  const cost = Number.isFinite(costs) ? costs : undefined
  return { value, cost, regressed: Math.min(value, cost ?? value) < 1 - tolerated }
}

/** All rounds are looked at, whoever was the busy side. */
function bareOfCores(rounds: readonly Figure[]): Figure[] {
  return rounds.map(({ value }) => ({ value }))
}

function costsOf(rounds: readonly Figure[]): Figure[] {
  return rounds.map(({ serverCpu }) => ({ value: serverCpu ?? NaN }))
}
