import { parseArgs } from 'node:util'
import { cacheItems } from './cache/cache-items.ts'
import { httpItems } from './http/http-items.ts'
import { registryItems } from './registry/registry-items.ts'
import { storageItems } from './storage/storage-items.ts'

export interface BenchOptions {
  readonly items: readonly string[]
  /** Items of the group `storage`, which needs no server. */
  readonly storageItems: readonly string[]
  /** Items of the group `cache`. */
  readonly cacheItems: readonly string[]
  /** Items of the group `http`. */
  readonly httpItems: readonly string[]
  /** Items of the group `registry`, which starts its servers itself. */
  readonly registryItems: readonly string[]
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
  --items ${itemNames.join(',')}   what to measure (default: all of these)
  --items storage       the stores themselves, without a server; one of them as storage/NAME:
                        ${storageItems.map(({ name }) => name).join(', ')}
  --items cache         what serves from the watch cache, and whether its bars are met; one of them as cache/NAME:
                        ${cacheItems.map(({ name }) => name).join(', ')}
  --items http          the whole chain over TLS, and whether its bars are met; one of them as http/NAME:
                        ${httpItems.map(({ name }) => name).join(', ')}
  --items registry      the write path of a pod in process, and whether its bars are met; one of them as registry/NAME:
                        ${registryItems.map(({ name }) => name).join(', ')}
  --duration 5          seconds for each measurement (storage, registry: 2, cache, http: 3)
  --rounds 3            measurements of each item on each server, in turns; the middle one counts (storage, cache, http, registry: 5)
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
      duration: { type: 'string' },
      rounds: { type: 'string' },
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
  const asked = [...positionals, ...(values.items?.split(',') ?? [])]
  const storage = inGroup('storage', storageItems, asked)
  const cache = inGroup('cache', cacheItems, asked)
  const http = inGroup('http', httpItems, asked)
  const registry = inGroup('registry', registryItems, asked)
  const items = asked.filter((item) => (itemNames as readonly string[]).includes(item))
  const known = [
    ...itemNames,
    ...namesOf('storage', storageItems),
    ...namesOf('cache', cacheItems),
    ...namesOf('http', httpItems),
    ...namesOf('registry', registryItems),
  ]
  const unknown = asked.filter((item) => !known.includes(item))
  if (unknown.length > 0) throw new Error(`no such item: ${unknown.join(', ')}; there are ${known.join(', ')}`)
  if (values['only-other'] && values.server === undefined) throw new Error('--only-other needs --server')
  const other =
    values.server === undefined
      ? undefined
      : { name: values.name, url: values.server.replace(/\/$/, ''), token: values.token, pid: optional(values.pid) }
  const grouped = asked.length > 0 && items.length === 0
  return {
    items: asked.length > 0 ? items : itemNames,
    storageItems: storage,
    cacheItems: cache,
    httpItems: http,
    registryItems: registry,
    seconds: positive('duration', values.duration ?? (grouped ? (cache.length + http.length > 0 ? '3' : '2') : '5')),
    rounds: positive('rounds', values.rounds ?? (grouped ? '5' : '3')),
    objects: positive('objects', values.objects),
    objectBytes: positive('object-bytes', values['object-bytes']),
    watchers: positive('watchers', values.watchers),
    other,
    own: !values['only-other'],
  }
}

interface Named {
  readonly name: string
}

/** A group's name stands for all of it; one of its items is GROUP/NAME. */
function namesOf(group: string, items: readonly Named[]): string[] {
  return [group, ...items.map(({ name }) => `${group}/${name}`)]
}

function inGroup(group: string, items: readonly Named[], asked: readonly string[]): string[] {
  return items.filter(({ name }) => asked.includes(group) || asked.includes(`${group}/${name}`)).map(({ name }) => name)
}

function positive(flag: string, text: string): number {
  const value = Number(text)
  if (!(value > 0)) throw new Error(`--${flag} must be a positive number, not "${text}"`)
  return value
}

function optional(text: string | undefined): number | undefined {
  return text === undefined ? undefined : positive('pid', text)
}
