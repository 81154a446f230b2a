import { parseArgs } from 'node:util'

export interface BenchOptions {
  readonly items: readonly string[]
  readonly seconds: number
  readonly rounds: number
  readonly objects: number
  readonly watchers: number
  readonly objectBytes: number
  /** Another server, measured in turns with ours and with bare. */
  readonly other: { readonly name: string; readonly url: string; readonly token: string; readonly pid: number | undefined } | undefined
  /** False measures only bare and the other server. */
  readonly own: boolean
}

export const itemNames = ['get', 'list', 'create', 'patch', 'watch'] as const

export const help = `npm run bench -- [flags]
  --items ${itemNames.join(',')}   what to measure (default: all)
  --duration 5          seconds for each measurement
  --rounds 3            measurements of each item on each server, in turns; the middle one counts
  --objects 10000       pods that are there for get, list and watch
  --object-bytes 8192   size of a pod as JSON
  --watchers 100        streams in the watch item
  --server URL          measure another server too
  --token TOKEN         its credential
  --name NAME           what to call it
  --pid PID             its process, if it runs here
  --only-other          leave our own server out`

/** Throws with a message for the user. */
export function parseBenchOptions(args: readonly string[]): BenchOptions | 'help' {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      items: { type: 'string' },
      duration: { type: 'string', default: '5' },
      rounds: { type: 'string', default: '3' },
      objects: { type: 'string', default: '10000' },
      'object-bytes': { type: 'string', default: '8192' },
      watchers: { type: 'string', default: '100' },
      server: { type: 'string' },
      token: { type: 'string', default: '' },
      name: { type: 'string', default: 'other' },
      pid: { type: 'string' },
      'only-other': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return 'help'
  const items = [...positionals, ...(values.items?.split(',') ?? [])]
  const unknown = items.filter((item) => !(itemNames as readonly string[]).includes(item))
  if (unknown.length > 0) throw new Error(`no such item: ${unknown.join(', ')}; there are ${itemNames.join(', ')}`)
  if (values['only-other'] && values.server === undefined) throw new Error('--only-other needs --server')
  const other =
    values.server === undefined
      ? undefined
      : { name: values.name, url: values.server.replace(/\/$/, ''), token: values.token, pid: optional(values.pid) }
  return {
    items: items.length > 0 ? items : itemNames,
    seconds: positive('duration', values.duration),
    rounds: positive('rounds', values.rounds),
    objects: positive('objects', values.objects),
    objectBytes: positive('object-bytes', values['object-bytes']),
    watchers: positive('watchers', values.watchers),
    other,
    own: !values['only-other'],
  }
}

function positive(flag: string, text: string): number {
  const value = Number(text)
  if (!(value > 0)) throw new Error(`--${flag} must be a positive number, not "${text}"`)
  return value
}

function optional(text: string | undefined): number | undefined {
  return text === undefined ? undefined : positive('pid', text)
}
