import { execFile } from 'node:child_process'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { startKeelson } from '@keelson/testing'
import type { KeelsonCluster } from '@keelson/testing'
import type { Figure, Item, Side } from '../frame/item.ts'
import { computeMedian } from '../frame/middle.ts'

const objects = 10_000
const clusters = 50
const cycles = 1000
/** Number of clusters after which the runtime has compiled the code, which also needs memory. */
const warmUpCycles = 200
/** Number of runs per measurement. The figure is their median. */
const runs = 20
/** Number of processes per measurement of a cold start. The figure is the median of their times. */
const coldRuns = 5
const root = fileURLToPath(new URL('../../../..', import.meta.url))
const typeScript = path.join(root, 'node_modules/typescript/bin/tsc')
const execute = promisify(execFile)

/** Items that measure clusters of `@keelson/testing`. They run in this process. */
export const testingItems: readonly Item[] = [
  createTimeItem({
    name: 'start',
    title: 'startKeelson() to the first response, in a warm process',
    most: 60,
    prepare: async () => {
      await (await startKeelson()).close()
    },
    run: () => answerOnce(startKeelson()),
  }),
  createColdStartItem(),
  createTimeItem({
    name: 'fork',
    title: `fork() of a cluster with ${objects.toLocaleString('en')} ConfigMaps to the first response`,
    most: 5,
    prepare: () => startFilled(objects),
    run: (cluster) => answerOnce(cluster!.fork()),
  }),
  createTimeItem({
    name: 'reset',
    title: `reset() after 5 writes, in a cluster with ${objects.toLocaleString('en')} ConfigMaps`,
    most: 3,
    prepare: () => startFilled(objects),
    run: async (cluster) => {
      for (let i = 0; i < 5; i++) await cluster!.resource('configmaps').create({ metadata: { name: `new-${i}` } })
      const began = performance.now()
      await cluster!.reset()
      return performance.now() - began
    },
  }),
  createMemoryItem({
    name: 'memory',
    title: `memory of each of ${clusters} clusters beyond the first one`,
    most: 8,
    async measure() {
      const open = [await startAnswered()]
      const before = await measureMemory()
      for (let i = 0; i < clusters; i++) open.push(await startAnswered())
      const after = await measureMemory()
      await Promise.all(open.map((cluster) => cluster.close()))
      return (after - before) / clusters
    },
  }),
  createMemoryItem({
    name: 'cycles',
    title: `growth of the memory while ${cycles.toLocaleString('en')} clusters are started and closed`,
    most: 10,
    async measure() {
      for (let i = 0; i < warmUpCycles; i++) await (await startAnswered()).close()
      const before = await measureMemory()
      for (let i = 0; i < cycles; i++) await (await startAnswered()).close()
      const growth = (await measureMemory()) - before
      const handles = process.getActiveResourcesInfo().filter((kind) => kind !== 'PipeWrap' && kind !== 'TTYWrap' && kind !== 'Timeout')
      if (handles.length > 0) throw new Error(`open after ${cycles} clusters were closed: ${handles.join(', ')}`)
      return Math.max(0, growth)
    },
  }),
]

interface TimeOptions {
  readonly name: string
  readonly title: string
  /** Maximum time in milliseconds. */
  readonly most: number
  /** Starts the cluster that `run` gets. */
  readonly prepare: () => Promise<KeelsonCluster | void>
  /** Returns the time in milliseconds. */
  readonly run: (cluster: KeelsonCluster | undefined) => Promise<number>
}

function createTimeItem({ name, title, most, prepare, run }: TimeOptions): Item {
  return {
    name: `testing/${name}`,
    title,
    unit: 'ms',
    bar: { type: 'most', value: most },
    only: 'named',
    async open(_bench, stack) {
      const cluster = (await prepare()) ?? undefined
      if (cluster !== undefined) stack.use(cluster)
      const side: Side = {
        name: 'keelson',
        async measure(): Promise<Figure> {
          const times: number[] = []
          for (let i = 0; i < runs; i++) times.push(await run(cluster))
          return { value: computeMedian(times) }
        },
      }
      return { sides: [side] }
    },
  }
}

/** Creates the item that measures a start in a new process, with the imports of the compiled packages. */
function createColdStartItem(): Item {
  const program = fileURLToPath(new URL('cold-start.mjs', import.meta.url))
  const measure = async (): Promise<Figure> => {
    const times: number[] = []
    for (let i = 0; i < coldRuns; i++) times.push(Number((await execute(process.execPath, [program])).stdout))
    return { value: computeMedian(times) }
  }
  return {
    name: 'testing/cold',
    title: 'startKeelson() to the first response, in a new process, with the import of @keelson/testing',
    unit: 'ms',
    bar: { type: 'most', value: 250 },
    only: 'named',
    async open() {
      await execute(process.execPath, [typeScript, '-b', 'packages/testing/tsconfig.build.json'], { cwd: root })
      return { sides: [{ name: 'keelson', measure }] }
    },
  }
}

interface MemoryOptions {
  readonly name: string
  readonly title: string
  /** Maximum memory in MiB. */
  readonly most: number
  /** Returns the memory in MiB. */
  readonly measure: () => Promise<number>
}

function createMemoryItem({ name, title, most, measure }: MemoryOptions): Item {
  const side: Side = { name: 'keelson', measure: async () => ({ value: await measure() }), warmUp: async () => undefined }
  return {
    name: `testing/${name}`,
    title,
    unit: 'MiB',
    bar: { type: 'most', value: most },
    rounds: 1,
    only: 'named',
    open: async () => ({ sides: [side] }),
  }
}

async function startAnswered(): Promise<KeelsonCluster> {
  const cluster = await startKeelson()
  await answer(cluster)
  return cluster
}

async function startFilled(count: number): Promise<KeelsonCluster> {
  const cluster = await startKeelson({
    manifests: Array.from({ length: count }, (_, i) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: `map-${i}` },
      data: { text: 'x'.repeat(200) },
    })),
  })
  await (await cluster.fork()).close()
  return cluster
}

/** Returns the time in milliseconds until a starting cluster has answered a request. Closes the cluster. */
async function answerOnce(starting: Promise<KeelsonCluster>): Promise<number> {
  const began = performance.now()
  const cluster = await starting
  await answer(cluster)
  const time = performance.now() - began
  await cluster.close()
  return time
}

async function answer(cluster: KeelsonCluster): Promise<void> {
  const response = await cluster.fetch('/api/v1/namespaces/default/configmaps/kube-root-ca.crt')
  if (response.status !== 200) throw new Error(`the response has the code ${response.status}`)
  await response.text()
}

/** Returns the memory of this process outside of files in MiB, after a garbage collection. */
async function measureMemory(): Promise<number> {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  for (let i = 0; i < 3; i++) {
    await new Promise((resolve) => setTimeout(resolve, 50))
    collect()
  }
  const { heapUsed, external } = process.memoryUsage()
  return (heapUsed + external) / 2 ** 20
}
