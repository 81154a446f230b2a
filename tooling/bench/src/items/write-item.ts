import type { Store } from '../frame/bench.ts'
import type { Bar, Item, Side } from '../frame/item.ts'
import { loadSide } from '../frame/load-side.ts'
import { runClient } from '../run-client.ts'
import { ask, startBare } from '../server-under-test.ts'
import type { ServerUnderTest } from '../server-under-test.ts'
import type { RequestTemplate } from '../load-job.ts'
import { applyPod, createPod, digits, patchPod, updatablePod, updatePod, writtenPod } from './pod-writes.ts'
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

/** The whole chain with default admission. Bare is what parses a body, puts it durably and answers it. */
export function writeItem({ name, verb, size, store = 'embedded', bar }: WriteItemOptions): Item {
  return {
    name: `http/${name}`,
    title: `${titles[verb]} of ${size}, ${places[store]}, ${clients} clients`,
    unit: 'requests/s',
    ...(bar !== undefined && { bar }),
    compares: store === 'embedded',
    async open(bench, stack) {
      const server = await bench.server({ pods: 1, configMaps: 0 }, { store, fresh: true })
      if (server === undefined) return undefined
      const servers = [server, ...(store === 'embedded' ? await bench.others() : [])]
      const sides: Side[] = []
      let stored: Buffer | undefined
      for (const each of servers) {
        const first = verb === 'apply' ? applyPod(size, 0) : verb === 'update' ? updatablePod(size) : createPod(size, 0)
        const there = await prepare(each, first)
        stored ??= there
        sides.push(sideOf(each, verb, size, there))
      }
      if (bench.withBare) {
        const status = verb === 'create' ? 201 : 200
        const bare = stack.use(await startBare(bench.scratch, { body: stored!, status, kind: 'durable' }))
        sides.push(sideOf(bare, verb, size, stored!))
      }
      return { sides }
    },
  }
}

/** Of all runs of all items: no name is used twice. */
let runs = 0

function sideOf(server: ServerUnderTest, verb: WriteItemOptions['verb'], size: PodSize, stored: Buffer): Side {
  const request = (): RequestTemplate => {
    const run = ++runs
    switch (verb) {
      case 'create':
        return createPod(size, run)
      case 'update':
        return { ...updatePod(stored, run), modulo: written }
      case 'patch':
        return { ...patchPod(size, run), modulo: written }
      case 'apply':
        return { ...applyPod(size, run), modulo: written }
    }
  }
  return loadSide({ server, unit: 'requests/s', load: () => ({ connections: clients, pipeline: 1, request: request() }) })
}

/** Those that are changed later, as many on each server; resolves to one of them. */
async function prepare(server: ServerUnderTest, request: RequestTemplate): Promise<Buffer> {
  const { url, token } = server
  const made = await runClient({ url, token, connections: clients, pipeline: 1, seconds: 600, count: written, request })
  if (made.failures > 0 && made.firstFailure !== 409) throw new Error(`${server.name}: pods could not be made: ${made.firstFailure}`)
  const { status, body } = await ask(server, 'GET', writtenPod('0'.repeat(digits)))
  if (status !== 200) throw new Error(`${server.name}: a pod that was made could not be read: ${status}`)
  return body
}
