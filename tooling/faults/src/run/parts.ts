import type { Scenario } from '../scenarios/scenario.ts'

/** Some of the rounds of a scenario. The result of a part is stored when all its rounds are done. */
export interface Part {
  /** Name of the result file. It contains the numbers of the rounds. */
  readonly id: string
  readonly scenario: Scenario
  readonly rounds: number
}

export interface Selection {
  readonly only?: string | undefined
  readonly rounds?: number | undefined
  /** Share of the parts to run, in the format "N/M": the Nth of M shares, counted from 1. */
  readonly part?: string | undefined
}

export function listParts(scenarios: readonly Scenario[], { only, rounds, part }: Selection): Part[] {
  const selected = scenarios.filter(({ name }) => only === undefined || name.includes(only))
  if (selected.length === 0) throw new Error(`no scenario matches ${only}; scenarios: ${scenarios.map(({ name }) => name).join(', ')}`)
  const parts: Part[] = []
  for (const scenario of selected) {
    let remaining = rounds ?? scenario.rounds
    for (let i = 0; remaining > 0; i++) {
      const partRounds = Math.min(remaining, scenario.roundsPerPart)
      parts.push({ id: `${scenario.name}-${rounds ?? scenario.rounds}-${i}`, scenario, rounds: partRounds })
      remaining -= partRounds
    }
  }
  if (part === undefined) return parts
  const [n, of] = part.split('/').map(Number) as [number, number]
  if (!(n >= 1 && n <= of)) throw new Error(`--part must be N/M with 1 ≤ N ≤ M, not ${part}`)
  return parts.filter((_, i) => i % of === n - 1)
}
