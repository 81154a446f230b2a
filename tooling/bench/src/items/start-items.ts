import { pods } from '../fill-store.ts'
import type { DatasetSize } from '../fill-store.ts'
import { defaultDataset } from '../frame/open-bench.ts'
import type { Bench } from '../frame/bench.ts'
import type { Figure, Item, Only, Side } from '../frame/item.ts'
import { readUsage } from '../process-usage.ts'
import type { Usage } from '../process-usage.ts'
import { ask } from '../server-under-test.ts'
import type { ServerUnderTest } from '../server-under-test.ts'

const empty: DatasetSize = { pods: 1, configMaps: 0 }
const many: DatasetSize = { pods: 100_000, configMaps: 0 }
/** Duration in milliseconds for which an idle server is observed. */
const idleMs = 10_000

export const startItems: readonly Item[] = [
  startItem({ name: 'empty', title: 'start to ready, without objects', size: empty, maximum: 0.5 }),
  startItem({ name: 'many', title: 'start to ready, with 100,000 pods of 8 KB', size: many, maximum: 3, rounds: 2 }),
  startItem({
    name: 'list',
    only: 'full',
    title: 'start with 100,000 pods of 8 KB until a list is answered from the cache',
    size: many,
    maximum: 3,
    rounds: 2,
    // A list that accepts any resource version. The server answers it when the watch cache is filled.
    until: `${pods}?resourceVersion=0&labelSelector=nothing%3Dmatches`,
  }),
  createIdleItem({
    name: 'rss',
    title: 'memory of an idle server, including mapped files (RSS)',
    maximum: 110,
    pick: ({ rssMiB }) => rssMiB,
  }),
  createIdleItem({
    name: 'anon',
    title: 'memory of an idle server, without mapped files (RssAnon)',
    maximum: 60,
    pick: ({ rssAnonMiB }) => rssAnonMiB,
  }),
  createIdleItem({
    name: 'pods',
    only: 'full',
    title: 'memory of an idle server with 10,000 pods of 8 KB, without mapped files (RssAnon)',
    size: defaultDataset,
    pick: ({ rssAnonMiB }) => rssAnonMiB,
  }),
]

interface StartOptions {
  readonly name: string
  readonly title: string
  readonly size: DatasetSize
  /** Maximum duration in seconds. */
  readonly maximum: number
  readonly rounds?: number
  readonly only?: Only
  /** Path of a request that must also succeed before the server counts as started. */
  readonly until?: string
}

/** Creates an item that measures the time from the start of the process until its ready line. */
function startItem({ name, title, size, maximum, rounds, only, until }: StartOptions): Item {
  return {
    name: `start/${name}`,
    title,
    unit: 's',
    bar: { type: 'most', value: maximum },
    ...(rounds !== undefined && { rounds }),
    ...(only !== undefined && { only }),
    async open(bench) {
      await bench.createDataset(size)
      return {
        sides: [createStartedSide(bench, size, (server) => (until === undefined ? Promise.resolve() : expectAnswered(server, until)))],
      }
    },
  }
}

function createStartedSide(bench: Bench, size: DatasetSize, done: (server: ServerUnderTest) => Promise<void>): Side {
  return {
    name: 'keelson',
    async measure() {
      await bench.stop()
      const began = performance.now()
      const server = (await bench.startServer(size, { probed: false, cores: 'all' }))!
      await done(server)
      const value = (performance.now() - began) / 1000
      return { value, ...getMemory(readUsage(server.pid)) }
    },
  }
}

async function expectAnswered(server: ServerUnderTest, path: string): Promise<void> {
  const { status } = await ask(server, 'GET', path)
  if (status !== 200) throw new Error(`${path} returned ${status}`)
}

interface IdleOptions {
  readonly name: string
  readonly title: string
  readonly size?: DatasetSize
  /** Maximum memory in MiB. */
  readonly maximum?: number
  readonly only?: Only
  readonly pick: (usage: Usage) => number
}

interface IdleUsage extends Usage {
  readonly cores: number
}

/** Results by bench and number of pods, so that one idle server provides the figures of several items. */
const idle = new WeakMap<Bench, Map<number, IdleUsage>>()

/** Measures the memory and the processor time of a server that has received no requests for ten seconds after its start. */
async function measureIdleUsage(bench: Bench, size: DatasetSize): Promise<IdleUsage> {
  const known = idle.get(bench) ?? new Map<number, IdleUsage>()
  idle.set(bench, known)
  const knownUsage = known.get(size.pods)
  if (knownUsage !== undefined) return knownUsage
  await bench.stop()
  const server = (await bench.startServer(size, { probed: false, cores: 'all' }))!
  const before = readUsage(server.pid)!
  await new Promise((resolve) => setTimeout(resolve, idleMs))
  const after = readUsage(server.pid)!
  const usage = { ...after, cores: ((after.cpuSeconds - before.cpuSeconds) * 1000) / idleMs }
  known.set(size.pods, usage)
  return usage
}

function createIdleItem({ name, title, size = empty, maximum, only, pick }: IdleOptions): Item {
  return {
    name: `idle/${name}`,
    title,
    unit: 'MiB',
    ...(maximum !== undefined && { bar: { type: 'most', value: maximum } }),
    ...(only !== undefined && { only }),
    rounds: 1,
    async open(bench) {
      return {
        sides: [
          {
            name: 'keelson',
            async measure() {
              const usage = await measureIdleUsage(bench, size)
              return { value: pick(usage), ...getMemory(usage), serverCores: usage.cores }
            },
          },
        ],
      }
    },
  }
}

function getMemory(usage: Usage | undefined): Partial<Figure> {
  return usage === undefined ? {} : { rssAnonMiB: usage.rssAnonMiB, peakRssMiB: usage.peakRssMiB }
}
