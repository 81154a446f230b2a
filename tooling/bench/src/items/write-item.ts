import type { Store } from '../frame/bench.ts'
import type { Bar, Item, Side } from '../frame/item.ts'
import { loadSide } from '../frame/load-side.ts'
import type { Load } from '../frame/load-side.ts'
import { runClient } from '../run-client.ts'
import { ask, startBare } from '../server-under-test.ts'
import type { ServerUnderTest } from '../server-under-test.ts'
import type { RequestTemplate } from '../load-job.ts'
import { applyPod, createPod, digits, patchPod, podPath, updatablePod, updatePod } from './pod-writes.ts'
import type { PodSize } from './pod-writes.ts'

export interface WriteItemOptions {
  readonly name: string
  readonly verb: 'create' | 'update' | 'patch' | 'apply'
  readonly size: PodSize
  /** Default: embedded. */
  readonly store?: Store
  readonly bar?: Bar | undefined
}

const titles = { create: 'CREATE pods', update: 'UPDATE pods', patch: 'merge-patch pods', apply: 'apply pods' } as const
const places = { embedded: 'durable', memory: 'store in memory', etcd: 'on etcd' } as const
const clients = 32
/** Enough that changes in flight do not meet. */
const written = 2000

/**
 * The whole chain with default admission. Bare is what parses a body, puts it durably and answers it. Both have all cores: a client that
 * writes needs a tenth of one, and flushes and collections of garbage have threads of their own.
 */
export function writeItem({ name, verb, size, store = 'embedded', bar }: WriteItemOptions): Item {
  return {
    name: `http/${name}`,
    title: `${titles[verb]} of ${size}, ${places[store]}, ${clients} clients`,
    unit: 'requests/s',
    ...(bar !== undefined && { bar }),
    compares: store === 'embedded',
    async open(bench, stack) {
      const server = await bench.server({ pods: 1, configMaps: 0 }, { store, fresh: true, cores: 'all' })
      if (server === undefined) return undefined
      const servers = [server, ...(store === 'embedded' ? await bench.others('all') : [])]
      const sides: Side[] = []
      let stored: Buffer | undefined
      for (const each of servers) {
        const there = await prepare(each, verb, size, name)
        stored ??= there
        sides.push(sideOf(each, { verb, size, set: name, stored: there }))
      }
      if (bench.withBare) {
        const status = verb === 'create' ? 201 : 200
        const bare = stack.use(await startBare(bench.scratch, { body: stored!, status, kind: 'durable', cores: 'all' }))
        sides.push(sideOf(bare, { verb, size, set: name, stored: stored! }))
      }
      return { sides }
    },
  }
}

/** Of all runs, also against a server that others have measured before: no name is used twice. */
let runs = Date.now() % 1_000_000_000

interface Writes extends Pick<WriteItemOptions, 'verb' | 'size'> {
  readonly set: string
  readonly stored: Buffer
}

function sideOf(server: ServerUnderTest, writes: Writes): Side {
  const load = (): Load => ({ connections: clients, pipeline: 1, request: requestOf(writes, ++runs) })
  return loadSide({ server, unit: 'requests/s', load })
}

function requestOf({ verb, size, set, stored }: Writes, run: number): RequestTemplate {
  switch (verb) {
    case 'create':
      return createPod(size, `${set}-${run}`)
    case 'update':
      return { ...updatePod(stored, set, run), modulo: written }
    case 'patch':
      return { ...patchPod(set, run), modulo: written }
    case 'apply':
      return { ...applyPod(size, set, run), modulo: written }
  }
}

/** Those that are changed later, as many on each server; resolves to one of them. */
async function prepare(server: ServerUnderTest, verb: WriteItemOptions['verb'], size: PodSize, set: string): Promise<Buffer> {
  const { url, token } = server
  const request = verb === 'apply' ? applyPod(size, set, 0) : verb === 'update' ? updatablePod(size, set) : createPod(size, set)
  const made = await runClient({ url, token, connections: clients, pipeline: 1, seconds: 600, count: written, request })
  if (made.failures > 0 && made.firstFailure !== 409) throw new Error(`${server.name}: pods could not be made: ${made.firstFailure}`)
  const { status, body } = await ask(server, 'GET', podPath(set, '0'.repeat(digits)))
  if (status !== 200) throw new Error(`${server.name}: a pod that was made could not be read: ${status}`)
  return body
}
