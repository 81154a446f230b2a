import { formatConfigMapName, configMaps, formatPodName, pods } from '../fill-store.ts'
import type { DatasetSize } from '../fill-store.ts'
import type { Store } from '../frame/bench.ts'
import type { Item, Side } from '../frame/item.ts'
import { createLoadSide } from '../frame/load-side.ts'
import type { Load } from '../frame/load-side.ts'
import type { LoadResult, RequestTemplate } from '../load-job.ts'
import { ask } from '../server-under-test.ts'
import type { ServerUnderTest } from '../server-under-test.ts'
import { touched } from './pod-writes.ts'

interface Kind {
  readonly name: string
  readonly getDatasetSize: (count: number) => DatasetSize
  readonly path: string
  readonly formatObjectName: (n: number) => string
  /** Returns a new object of the same kind and size as the existing objects. */
  readonly createBody: (name: string) => object
}

const small: Kind = {
  name: '1 KB',
  getDatasetSize: (count) => ({ pods: 1, configMaps: count }),
  path: configMaps,
  formatObjectName: formatConfigMapName,
  createBody: (name) => ({ metadata: { name }, data: { text: 'a line that means nothing. '.repeat(32) } }),
}

const large: Kind = {
  name: '8 KB',
  getDatasetSize: (count) => ({ pods: count, configMaps: 0 }),
  path: pods,
  formatObjectName: formatPodName,
  createBody: (name) => ({ metadata: { name }, spec: { containers: [{ name: 'main', image: 'registry.example/bench:1' }] } }),
}

let runs = Date.now() % 1_000_000

const requests: Readonly<Record<string, (kind: Kind) => RequestTemplate>> = {
  GET: ({ path, formatObjectName }) => ({ method: 'GET', path: `${path}/${formatObjectName(0)}` }),
  create: ({ path, createBody }) => ({
    method: 'POST',
    path,
    contentType: 'application/json',
    body: JSON.stringify(createBody(`new-${runs++}-{n}`)),
  }),
  patch: ({ path, formatObjectName }) => ({
    method: 'PATCH',
    path: `${path}/${formatObjectName(0).slice(0, -6)}{n}`,
    digits: 6,
    modulo: 1000,
    contentType: 'application/merge-patch+json',
    body: JSON.stringify({ metadata: { annotations: { [touched]: `${runs++}-{i}` } } }),
  }),
}

interface Growth {
  readonly kind: Kind
  readonly counts: readonly number[]
  /** Default: embedded. */
  readonly store?: Store
  readonly full: boolean
}

interface Operation {
  readonly subject: string
  readonly load: (server: ServerUnderTest) => Load | Promise<Load>
  /** Computes the duration of one operation in milliseconds from the result of a load and the number of objects. */
  readonly computeTime: (result: LoadResult, objects: number) => number
}

/** Number of warm-up requests. Afterwards V8 has compiled the code of the operation. */
const warmRequests = 5000
const maxWarmSeconds = 4

/**
 * Creates an item that compares the duration of an operation on two servers, one with ten times as many objects. Measures both servers in
 * turns. Both servers use all cores, so that V8's background threads do not slow down one of them.
 */
function createGrowthItem({ kind, counts, store = 'embedded', full }: Growth, { subject, load, computeTime }: Operation): Item {
  const names = counts.map((count) => count.toLocaleString('en'))
  const place = store === 'embedded' ? '' : ` on ${store}`
  const suffix = [kind.name.replace(' KB', 'k'), ...(store === 'embedded' ? [] : [store]), ...(full ? ['full'] : [])]
  return {
    name: `growth/${[subject, ...suffix].join('-')}`,
    title: `${titles[subject] ?? subject} with ${names.join(', ')} objects of ${kind.name}${place}`,
    unit: 'ms',
    bar: { type: 'ratio', of: names.at(-1)!, to: names.at(-2)!, maximum: 1.3 },
    ...(full && { only: 'full' as const, rounds: 3 }),
    async open(bench) {
      const sides: Side[] = []
      for (const [i, count] of counts.entries()) {
        const server = await bench.startServer(kind.getDatasetSize(count), { store, cores: 'all' })
        if (server === undefined) return undefined
        const objects = await countObjects(server, kind)
        const computeValue = (result: LoadResult): number => computeTime(result, objects)
        sides.push(
          createLoadSide({
            server,
            name: names[i]!,
            unit: subject === 'event' ? 'events/s' : 'requests/s',
            load: () => load(server),
            value: computeValue,
            ...(subject !== 'LIST' && { warmRequests, maxWarmSeconds }),
          }),
        )
      }
      return { sides }
    },
  }
}

/** Returns the number of objects of a kind, including objects that other operations have created. */
async function countObjects(server: ServerUnderTest, { path }: Kind): Promise<number> {
  const { body } = await ask(server, 'GET', `${path}?limit=1`)
  const { items, metadata } = JSON.parse(body.toString()) as { items: unknown[]; metadata: { remainingItemCount?: number } }
  return items.length + (metadata.remainingItemCount ?? 0)
}

const titles: Readonly<Record<string, string>> = {
  LIST: 'LIST (time of 1,000 listed objects)',
  event: 'a change and its watch event',
}

function createGrowthItems(growth: Growth): readonly Item[] {
  const { kind } = growth
  const single = Object.entries(requests).map(([subject, request]) =>
    createGrowthItem(growth, {
      subject,
      load: () => ({ connections: 4, pipeline: 1, request: request(kind) }),
      computeTime: ({ p50 }) => p50,
    }),
  )
  const list = createGrowthItem(growth, {
    subject: 'LIST',
    load: () => ({ connections: 1, pipeline: 1, request: { method: 'GET', path: kind.path } }),
    computeTime: ({ p50 }, objects) => (p50 * 1000) / objects,
  })
  const event = createGrowthItem(growth, {
    subject: 'event',
    async load(server) {
      const { body } = await ask(server, 'GET', `${kind.path}?limit=1`)
      const { resourceVersion } = (JSON.parse(body.toString()) as { metadata: { resourceVersion: string } }).metadata
      const watch = { path: `${kind.path}?watch=1&resourceVersion=${resourceVersion}`, streams: 1, keep: true }
      return { connections: 4, pipeline: 1, request: requests['patch']!(kind), watch }
    },
    computeTime: ({ events, eventSeconds }) => (eventSeconds * 1000) / events,
  })
  // The list is measured first, because creates add objects to it.
  return [list, ...single, event]
}

const defaultCounts = [1000, 10_000, 100_000]
const fullCounts = [10_000, 100_000, 300_000]

export const growthItems: readonly Item[] = [
  ...createGrowthItems({ kind: small, counts: defaultCounts, full: false }),
  ...createGrowthItems({ kind: small, counts: fullCounts, full: true }),
  ...createGrowthItems({ kind: large, counts: fullCounts, full: true }),
  ...createGrowthItems({ kind: small, counts: fullCounts, store: 'etcd', full: true }),
]
