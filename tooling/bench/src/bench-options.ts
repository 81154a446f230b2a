import { parseArgs } from 'node:util'
import type { Item, Rounds } from './frame/item.ts'

export interface BenchOptions {
  readonly items: readonly Item[]
  readonly seconds: number
  readonly rounds: Rounds
  /** Maximum duration of the run in minutes. The run stops before an item that would exceed it. */
  readonly minutes: number | undefined
  readonly resume: boolean
  readonly profile: boolean
  /** Whether to write the results to docs/performance.md. */
  readonly publish: boolean
  /** Whether to regenerate docs/performance.md from the published results without measuring. */
  readonly document: boolean
  /** Git revision to compare with. */
  readonly base: string | undefined
  /** Number of server pairs on which each item is compared. */
  readonly processes: number
  readonly etcd: string | undefined
  /** Another API server, which is measured in turns with Keelson and the bare server. */
  readonly other: { readonly name: string; readonly url: string; readonly token: string; readonly pid: number | undefined } | undefined
}

/** Maximum duration in minutes of one part of a run with --full. */
const fullMinutes = 8
/** Default number of rounds. Items with a bar have more and shorter rounds, so that other load on the machine affects only a few rounds. */
const defaultRounds: Rounds = { withBar: 5, without: 3 }
/** Default number of rounds for a comparison with --base. This number is enough to distinguish a regression from noise. */
export const comparedRounds = 15

export function formatHelp(items: readonly Item[]): string {
  const groups = Map.groupBy(items, ({ name }) => name.slice(0, name.indexOf('/')))
  const lines = Array.from(groups, ([group, items]) => {
    const names = items.map(
      ({ name, only }) => name.slice(group.length + 1) + (only === 'full' ? ' (--full)' : only === 'named' ? ' (named)' : ''),
    )
    return `  ${group.padEnd(9)} ${names.join(', ')}`
  })
  return `npm run bench -- [flags] [GROUP | GROUP/NAME …]
Without arguments, measures all unmarked items in ten minutes. Naming a group includes its items marked (named).

${lines.join('\n')}

  --items LIST          the same as arguments, separated by commas
  --full                includes slow items; stops after ${fullMinutes} minutes, continue with --resume
  --resume              measures the remaining items of the last run with its settings; stops after ${fullMinutes} minutes
  --minutes N           stops before an item that would exceed this time
  --duration 0.5        seconds for each measurement
  --rounds ${defaultRounds.withBar}            measurements of each item on each server, in turns; by default ${defaultRounds.without} for items without a bar, and ${comparedRounds} with --base
  --profile             writes a CPU and a heap profile of each item to bench/profiles
  --base REVISION       compares with another revision, in turns; fails if an item is more than 15 % worse
  --processes 1         with --base: number of pairs of new servers per item; more pairs make differences of a few percent significant
  --server URL          also measures another server, in turns
  --token TOKEN         its bearer token
  --name NAME           its name in the report
  --pid PID             its process id, if it runs on this machine
  --etcd URL            uses this etcd instead of starting one
  --publish             stores the result and generates docs/performance.md from it
  --document            generates docs/performance.md from the stored result`
}

/** Parses the command line of the benchmark. Throws an error with a message for the user if a flag is invalid. */
export function parseBenchOptions(args: readonly string[], items: readonly Item[]): BenchOptions | 'help' {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      items: { type: 'string' },
      full: { type: 'boolean', default: false },
      resume: { type: 'boolean', default: false },
      minutes: { type: 'string' },
      duration: { type: 'string', default: '0.5' },
      rounds: { type: 'string' },
      profile: { type: 'boolean', default: false },
      publish: { type: 'boolean', default: false },
      document: { type: 'boolean', default: false },
      base: { type: 'string' },
      processes: { type: 'string', default: '1' },
      server: { type: 'string' },
      token: { type: 'string', default: '' },
      name: { type: 'string', default: 'other' },
      pid: { type: 'string' },
      etcd: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return 'help'
  const itemNames = [...positionals, ...(values.items?.split(',') ?? [])]
  const { base, server } = values
  if (base !== undefined && server !== undefined) throw new Error('--base and --server cannot be combined')
  const minutes = values.minutes ?? (values.full || values.resume ? String(fullMinutes) : undefined)
  return {
    items: selectItems(items, itemNames, values.full).filter(({ compares }) => base === undefined || compares === true),
    seconds: parsePositive('duration', values.duration),
    rounds: countRounds(values.rounds, base),
    minutes: minutes === undefined ? undefined : parsePositive('minutes', minutes),
    resume: values.resume,
    profile: values.profile,
    publish: values.publish,
    document: values.document,
    base,
    processes: parsePositive('processes', values.processes),
    etcd: values.etcd,
    other:
      server === undefined
        ? undefined
        : {
            name: values.name,
            url: server.replace(/\/$/, ''),
            token: values.token,
            pid: values.pid === undefined ? undefined : parsePositive('pid', values.pid),
          },
  }
}

function countRounds(flag: string | undefined, base: string | undefined): Rounds {
  if (flag === undefined && base === undefined) return defaultRounds
  const rounds = flag === undefined ? comparedRounds : parsePositive('rounds', flag)
  return { withBar: rounds, without: rounds }
}

function selectItems(items: readonly Item[], itemNames: readonly string[], full: boolean): readonly Item[] {
  const unknown = itemNames.filter((text) => !items.some(({ name }) => name === text || name.startsWith(`${text}/`)))
  if (unknown.length > 0) throw new Error(`unknown item: ${unknown.join(', ')}; see --help for all items`)
  return items.filter(({ name, only }) => {
    if (itemNames.includes(name)) return true
    if (itemNames.length > 0 && !itemNames.includes(name.split('/')[0]!)) return false
    return full || only === undefined || (only === 'named' && itemNames.length > 0)
  })
}

function parsePositive(flag: string, text: string): number {
  const value = Number(text)
  if (!(value > 0)) throw new Error(`--${flag} must be a positive number, not "${text}"`)
  return value
}
