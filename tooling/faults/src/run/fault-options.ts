import { parseArgs } from 'node:util'
import type { Scenario } from '../scenarios/scenario.ts'
import { listParts } from './parts.ts'
import type { Part } from './parts.ts'

export interface FaultOptions {
  readonly parts: readonly Part[]
  /** Whether to use the results of parts from earlier runs. */
  readonly resume: boolean
  /** Whether to delete the results of earlier runs. */
  readonly fresh: boolean
}

export function formatHelp(scenarios: readonly Scenario[]): string {
  const width = Math.max(...scenarios.map(({ name }) => name.length))
  return `npm run test:faults -- [flags]
Runs the remaining parts of the long form and starts none after five minutes. Repeat the call to continue.

  --only TEXT      only scenarios whose name contains TEXT
  --part N/M       the Nth of M shares, to use several machines
  --rounds N       number of rounds, instead of each scenario's default
  --short          about one round of each, as in \`npm test\`
  --fresh          deletes the results of finished parts (stored in .keelson/faults)
  --help           prints this help

${scenarios.map(({ name, about }) => `  ${name.padEnd(width)}  ${about}`).join('\n')}`
}

/** Parses the command line of `npm run test:faults`. Throws an error with a message for the user if a flag is invalid. */
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
  if (short) return { parts: listShortParts(scenarios), resume: false, fresh }
  const rounds = values.rounds === undefined ? undefined : Number(values.rounds)
  if (rounds !== undefined && !(Number.isInteger(rounds) && rounds > 0))
    throw new Error(`--rounds must be a positive integer, not ${JSON.stringify(values.rounds)}`)
  return { parts: listParts(scenarios, { only, part, rounds }), resume: true, fresh }
}

function listShortParts(scenarios: readonly Scenario[]): Part[] {
  const quick = scenarios.filter(({ shortRounds }) => shortRounds > 0)
  return quick.map((scenario) => ({ id: `${scenario.name}-short`, scenario, rounds: scenario.shortRounds }))
}
