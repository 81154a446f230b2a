import type { DatasetSize } from '../fill-store.ts'
import type { Bench, ServerOptions, Store } from '../frame/bench.ts'
import type { Bar, Item, Side } from '../frame/item.ts'
import { createLoadSide } from '../frame/load-side.ts'
import type { Load } from '../frame/load-side.ts'
import { runClient } from '../run-client.ts'
import { ask, startBare } from '../server-under-test.ts'
import type { ServerUnderTest } from '../server-under-test.ts'
import type { RequestTemplate } from '../load-job.ts'
import { applyPod, createPod, digits, patchPod, formatPodPath, createUpdatablePod, updatePod } from './pod-writes.ts'
import type { PodSize } from './pod-writes.ts'

export interface WriteBenchmarkOptions {
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
/** Number of objects that a measurement changes. Enough that concurrent changes rarely conflict. */
const written = 2000
const onePod: DatasetSize = { pods: 1, configMaps: 0 }

/** Number of warm-up writes. Afterwards V8 has compiled the write path. */
const warmRequests = 10_000
const maxWarmSeconds = 10

/**
 * Creates an item that measures writes through all layers of the server, with the default admission plugins. The bare server parses a body,
 * writes it to disk and responds. Both servers use all cores, because flushes and garbage collection have their own threads. Items that
 * create objects start a new server. Items that change objects share a server, and each changes its own objects.
 */
export function createWriteItem({ name, verb, size, store = 'embedded', bar }: WriteBenchmarkOptions): Item {
  return {
    name: `http/${name}`,
    title: `${titles[verb]} of ${size}, ${places[store]}, ${clients} clients`,
    unit: 'requests/s',
    ...(bar !== undefined && { bar }),
    compares: store !== 'memory',
    ...(verb === 'create' && { cold: true }),
    async open(bench, stack) {
      const servers = await openServers(bench, { store, copyName: verb === 'create' ? name : 'changes' })
      if (servers.length === 0) return undefined
      const sides: Side[] = []
      let stored: Buffer | undefined
      for (const each of servers) {
        const existing = await prepare(each, verb, size, name)
        stored ??= existing
        sides.push(createSide(each, { verb, size, set: name, stored: existing }))
      }
      if (bench.withBare) {
        const status = verb === 'create' ? 201 : 200
        const bare = stack.use(await startBare(bench.scratch, { body: stored!, status, kind: 'durable', cores: 'all' }))
        sides.push(createSide(bare, { verb, size, set: name, stored: stored! }))
      }
      return { sides }
    },
  }
}

/** Starts the Keelson server and the servers to compare with. Returns an empty list if the server needs etcd and etcd is not installed. */
async function openServers(bench: Bench, options: ServerOptions): Promise<readonly ServerUnderTest[]> {
  const shared = { ...options, cores: 'all' } as const
  const server = await bench.startServer(onePod, shared)
  if (server === undefined) return []
  return [server, ...(options.store === 'memory' ? [] : await bench.startComparedServers(onePod, shared))]
}

/** Starts the servers that all items with changes of objects share. */
export function startChangedServers(bench: Bench): Promise<readonly ServerUnderTest[]> {
  return openServers(bench, { copyName: 'changes' })
}

/** Number of the run, used in object names. Starts with the time, so that names are new even on a server of an earlier benchmark. */
let runs = Date.now() % 1_000_000_000

interface Writes extends Pick<WriteBenchmarkOptions, 'verb' | 'size'> {
  readonly set: string
  readonly stored: Buffer
}

function createSide(server: ServerUnderTest, writes: Writes): Side {
  const load = (): Load => ({ connections: clients, pipeline: 1, request: buildRequest(writes, ++runs) })
  return createLoadSide({ server, unit: 'requests/s', load, warmAs: `${writes.verb} ${writes.size}`, warmRequests, maxWarmSeconds })
}

function buildRequest({ verb, size, set, stored }: Writes, run: number): RequestTemplate {
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

/** Creates the objects that the measured requests change. For creates, creates only one object. Returns the JSON of one stored object. */
async function prepare(server: ServerUnderTest, verb: WriteBenchmarkOptions['verb'], size: PodSize, set: string): Promise<Buffer> {
  const { url, token } = server
  const count = verb === 'create' ? 1 : written
  const request = verb === 'apply' ? applyPod(size, set, 0) : verb === 'update' ? createUpdatablePod(size, set) : createPod(size, set)
  const creation = await runClient({ url, token, connections: clients, pipeline: 1, seconds: 600, count, request })
  if (creation.failures > 0 && creation.firstFailure !== 409)
    throw new Error(`${server.name}: creating pods failed with ${creation.firstFailure}`)
  const { status, body } = await ask(server, 'GET', formatPodPath(set, '0'.repeat(digits)))
  if (status !== 200) throw new Error(`${server.name}: reading a created pod returned ${status}`)
  return body
}
