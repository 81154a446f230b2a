import { parseArgs } from 'node:util'
import type { Item, Rounds } from './frame/item.ts'

export interface BenchOptions {
  readonly items: readonly Item[]
  readonly seconds: number
  readonly rounds: Rounds
  /** No item is begun that would not be done after so many. */
  readonly minutes: number | undefined
  readonly resume: boolean
  readonly profile: boolean
  /** What is measured becomes what docs/performance.md says. */
  readonly publish: boolean
  /** Nothing is measured: docs/performance.md is made anew from what was published. */
  readonly document: boolean
  /** A revision to compare with. */
  readonly base: string | undefined
  /** Pairs of servers that each item is compared on. */
  readonly processes: number
  readonly etcd: string | undefined
  /** Another server, measured in turns with ours and with bare. */
  readonly other: { readonly name: string; readonly url: string; readonly token: string; readonly pid: number | undefined } | undefined
}

/** What is long is measured in parts of so many. */
const fullMinutes = 8
/** Many short ones, where something is demanded: what else the machine does hits few of them. */
const usualRounds: Rounds = { withBar: 5, without: 3 }
/** So many that what is slower can be told from what was disturbed. */
export const comparedRounds = 15

export function help(all: readonly Item[]): string {
  const groups = Map.groupBy(all, ({ name }) => name.slice(0, name.indexOf('/')))
  const lines = Array.from(groups, ([group, items]) => {
    const names = items.map(
      ({ name, only }) => name.slice(group.length + 1) + (only === 'full' ? ' (--full)' : only === 'named' ? ' (named)' : ''),
    )
    return `  ${group.padEnd(9)} ${names.join(', ')}`
  })
  return `npm run bench -- [flags] [GROUP | GROUP/NAME …]
Without flags: everything that has no mark, in ten minutes. A group's name means what is marked (named) too.

${lines.join('\n')}

  --items LIST          the same as naming them, with commas between
  --full                also what takes long; ends after ${fullMinutes} minutes, go on with --resume
  --resume              measures what the last run left, as it measured the others; ends after ${fullMinutes} minutes
  --minutes N           begins no item that would not be done after so many minutes
  --duration 0.5        seconds for each measurement
  --rounds ${usualRounds.withBar}            measurements of each item on each server, in turns; without it ${usualRounds.without} where nothing is demanded, and ${comparedRounds} with --base
  --profile             leaves a CPU and a heap profile for each item in bench/profiles
  --base REVISION       compares with another revision, in turns; fails when something is more than 15 % worse
  --processes 1         with --base: measures each item on as many pairs of new servers, which tells differences of a few percent from chance
  --server URL          measures another server too, in turns
  --token TOKEN         its credential
  --name NAME           what to call it
  --pid PID             its process, if it runs here
  --etcd URL            uses this etcd instead of one of our own
  --publish             keeps the result and makes docs/performance.md of it
  --document            makes docs/performance.md of the result that was kept`
}

/** Throws with a message for the user. */
export function parseBenchOptions(args: readonly string[], all: readonly Item[]): BenchOptions | 'help' {
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
  const asked = [...positionals, ...(values.items?.split(',') ?? [])]
  const { base, server } = values
  if (base !== undefined && server !== undefined) throw new Error('--base and --server are two comparisons: one at a time')
  const minutes = values.minutes ?? (values.full || values.resume ? String(fullMinutes) : undefined)
  return {
    items: chosen(all, asked, values.full).filter(({ compares }) => base === undefined || compares === true),
    seconds: positive('duration', values.duration),
    rounds: roundsOf(values.rounds, base),
    minutes: minutes === undefined ? undefined : positive('minutes', minutes),
    resume: values.resume,
    profile: values.profile,
    publish: values.publish,
    document: values.document,
    base,
    processes: positive('processes', values.processes),
    etcd: values.etcd,
    other:
      server === undefined
        ? undefined
        : {
            name: values.name,
            url: server.replace(/\/$/, ''),
            token: values.token,
            pid: values.pid === undefined ? undefined : positive('pid', values.pid),
          },
  }
}

function roundsOf(given: string | undefined, base: string | undefined): Rounds {
  if (given === undefined && base === undefined) return usualRounds
  const rounds = given === undefined ? comparedRounds : positive('rounds', given)
  return { withBar: rounds, without: rounds }
}

function chosen(all: readonly Item[], asked: readonly string[], full: boolean): readonly Item[] {
  const unknown = asked.filter((text) => !all.some(({ name }) => name === text || name.startsWith(`${text}/`)))
  if (unknown.length > 0) throw new Error(`no such item: ${unknown.join(', ')}; --help shows what there is`)
  return all.filter(({ name, only }) => {
    if (asked.includes(name)) return true
    if (asked.length > 0 && !asked.includes(name.split('/')[0]!)) return false
    return full || only === undefined || (only === 'named' && asked.length > 0)
  })
}

function positive(flag: string, text: string): number {
  const value = Number(text)
  if (!(value > 0)) throw new Error(`--${flag} must be a positive number, not "${text}"`)
  return value
}
