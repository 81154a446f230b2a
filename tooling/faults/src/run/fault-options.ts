import { parseArgs } from 'node:util'
import type { Scenario } from '../scenarios/scenario.ts'
import { partsOf } from './parts.ts'
import type { Part } from './parts.ts'

export interface FaultOptions {
  readonly parts: readonly Part[]
  /** Whether parts that were run before count. */
  readonly resume: boolean
  /** Whether what was run before is forgotten. */
  readonly fresh: boolean
}

export function help(scenarios: readonly Scenario[]): string {
  const width = Math.max(...scenarios.map(({ name }) => name.length))
  return `npm run test:faults -- [flags]
Runs what is left of the long form, and begins nothing after five minutes. Called again it goes on where it was.

  --only TEXT      scenarios whose name has this in it
  --part N/M       the Nth of M shares, for machines side by side
  --rounds N       so many rounds instead of each scenario's own
  --short          a round or so of each, as in \`npm test\`
  --fresh          forgets finished parts (they are kept in .keelson/faults)
  --help           this

${scenarios.map(({ name, about }) => `  ${name.padEnd(width)}  ${about}`).join('\n')}`
}

/** Throws with a message for the user. */
export function parseFaultOptions(args: readonly string[], scenarios: readonly Scenario[]): FaultOptions | 'help' {
  const { values } = parseArgs({
    args: [...args],
    options: {
      part: { type: 'string' },
      only: { type: 'string' },
      rounds: { type: 'string' },
      short: { type: 'boolean', default: false },
      fresh: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return 'help'
  const { short, fresh, only, part } = values
  if (short) return { parts: shortParts(scenarios), resume: false, fresh }
  const rounds = values.rounds === undefined ? undefined : Number(values.rounds)
  if (rounds !== undefined && !(Number.isInteger(rounds) && rounds > 0))
    throw new Error(`--rounds takes a whole number, not ${values.rounds}`)
  return { parts: partsOf(scenarios, { only, part, rounds }), resume: true, fresh }
}

function shortParts(scenarios: readonly Scenario[]): Part[] {
  const quick = scenarios.filter(({ shortRounds }) => shortRounds > 0)
  return quick.map((scenario) => ({ id: `${scenario.name}-short`, scenario, rounds: scenario.shortRounds }))
}
