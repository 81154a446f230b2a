import { setTimeout as wait } from 'node:timers/promises'
import type { DatasetSize } from '../fill-store.ts'
import type { Bench } from '../frame/bench.ts'
import type { Item, Side } from '../frame/item.ts'
import { bareSide } from '../frame/judge.ts'
import { createLoadSide } from '../frame/load-side.ts'
import type { Load } from '../frame/load-side.ts'
import { readUsage } from '../process-usage.ts'
import { startBare } from '../server-under-test.ts'
import type { ServerUnderTest } from '../server-under-test.ts'
import { aggregatedPath, registerBackend } from './aggregated-backend.ts'

const onePod: DatasetSize = { pods: 1, configMaps: 0 }
const shortBody: Uint8Array = Buffer.from(JSON.stringify({ kind: 'Thing', data: 'x'.repeat(2000) }))
const listBytes = 80_000_000
const request = { method: 'GET', path: aggregatedPath }
const oneClient: Load = { connections: 1, pipeline: 1, request }

type BackendKind = 'raw' | 'http2'

/** Items about requests that are forwarded to another API server. They compare with the backend itself, and with a bare proxy. */
export const aggregationItems: readonly Item[] = [
  createDelayItem('get', 'raw', 'HTTP/1.1'),
  createDelayItem('get-http2', 'http2', 'HTTP/2'),
  {
    name: 'aggregation/load',
    title: 'GET of 2 KB from another API server, 10 clients',
    unit: 'requests/s',
    only: 'named',
    compares: true,
    async open(bench, stack) {
      const backend = stack.use(await startBackend(bench, 'http2', shortBody))
      const servers = [await startFront(bench), ...(await bench.startComparedServers(onePod))]
      for (const server of servers) await registerBackend(server, backend)
      return {
        sides: servers.map((server) => createLoadSide({ server, unit: 'requests/s', load: () => ({ ...oneClient, connections: 10 }) })),
      }
    },
  },
  createListItem('list', 'raw', 'HTTP/1.1'),
  createListItem('list-http2', 'http2', 'HTTP/2'),
  {
    name: 'aggregation/list-memory',
    title: 'memory while a list of 80 MB is forwarded',
    unit: 'MiB',
    bar: { type: 'most', value: 20 },
    only: 'named',
    rounds: 3,
    async open(bench, stack) {
      const backend = stack.use(await startBackend(bench, 'http2', createList()))
      return {
        sides: [
          {
            name: 'keelson',
            warmUp: async () => undefined,
            async measure(seconds) {
              // Starts a new server, because memory that an earlier list used may still belong to the process.
              await bench.stop()
              const server = await startFront(bench)
              await registerBackend(server, backend)
              const lists = createLoadSide({ server, unit: 'requests/s', load: () => oneClient })
              return measureGrowth(server, () => lists.measure(seconds))
            },
          },
        ],
      }
    },
  },
]

function createList(): Uint8Array {
  return Buffer.alloc(listBytes, 'x')
}

async function startFront(bench: Bench): Promise<ServerUnderTest> {
  return (await bench.startServer(onePod, { copyName: 'aggregation' }))!
}

function startBackend({ scratch }: Bench, kind: BackendKind, body: Uint8Array): Promise<ServerUnderTest> {
  // Uses all cores, because the backend must not compete with the measured server for one core.
  return startBare(scratch, { kind, body, only: aggregatedPath, cores: 'all' })
}

/** Creates an item whose value is the difference between the median latencies of forwarded and direct requests. */
function createDelayItem(name: string, kind: BackendKind, protocol: string): Item {
  return {
    name: `aggregation/${name}`,
    title: `additional time of a GET of 2 KB that is forwarded to another API server over ${protocol}`,
    unit: 'ms',
    bar: { type: 'most', value: 0.3 },
    only: 'named',
    async open(bench, stack) {
      const backend = stack.use(await startBackend(bench, kind, shortBody))
      const server = await startFront(bench)
      await registerBackend(server, backend)
      const forwarded = createLoadSide({ server, unit: 'requests/s', load: () => oneClient })
      const direct = createLoadSide({ server: backend, unit: 'requests/s', load: () => ({ ...oneClient, http2: kind === 'http2' }) })
      const side: Side = {
        ...forwarded,
        async warmUp() {
          await direct.warmUp?.()
          return forwarded.warmUp?.()
        },
        async measure(seconds) {
          const { p50: base } = await direct.measure(seconds / 2)
          const {
            value: _rate,
            serverCores: _server,
            clientCores: _client,
            clientCpu: _cpu,
            ...figure
          } = await forwarded.measure(seconds / 2)
          return { ...figure, value: figure.p50! - base! }
        },
      }
      return { sides: [side] }
    },
  }
}

/** Creates an item that compares a forwarded list with the same list through a bare proxy. */
function createListItem(name: string, kind: BackendKind, protocol: string): Item {
  return {
    name: `aggregation/${name}`,
    title: `LIST of 80 MB from another API server over ${protocol}, compared with a bare node:https proxy`,
    unit: 'requests/s',
    bar: { type: 'share', least: 0.6 },
    only: 'named',
    async open(bench, stack) {
      const body = createList()
      const backend = stack.use(await startBackend(bench, kind, body))
      // The bare proxy speaks HTTP/1.1 only.
      const plainBackend = kind === 'raw' ? backend : stack.use(await startBackend(bench, 'raw', body))
      const server = await startFront(bench)
      await registerBackend(server, backend)
      const proxy = stack.use(await startBare(bench.scratch, { kind: 'proxy', target: plainBackend.url }))
      return {
        sides: [server, proxy].map((each) =>
          createLoadSide({ server: each, ...(each === proxy && { name: bareSide }), unit: 'requests/s', load: () => oneClient }),
        ),
      }
    },
  }
}

/** Returns the growth of a server's private memory in MiB while `run` runs. */
async function measureGrowth(server: ServerUnderTest, run: () => Promise<unknown>): Promise<{ readonly value: number }> {
  await server.probe!.collect()
  await wait(1000)
  const readMemory = (): number => readUsage(server.pid)!.rssAnonMiB
  const before = readMemory()
  let peak = before
  const timer = setInterval(() => (peak = Math.max(peak, readMemory())), 10)
  try {
    await run()
  } finally {
    clearInterval(timer)
  }
  return { value: peak - before }
}
