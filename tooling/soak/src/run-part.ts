import { setTimeout as wait } from 'node:timers/promises'
import { HttpsClient } from '@keelson/tooling-e2e/https-client'
import { MetricsPage } from '@keelson/tooling-e2e/metrics-page'
import { findPercentile } from '@keelson/tooling-faults/percentile'
import { createRandom } from '@keelson/tooling-faults/random'
import { compareCounts, compareObjectCounts } from './compare-counts.ts'
import { CountedClient } from './counted-client.ts'
import { getClusterPath, getCollectionPath, kinds, leasesPath, namespace, widgetDefinition } from './kinds.ts'
import type { SoakKind } from './kinds.ts'
import type { Lease } from './operations.ts'
import { runLoad } from './run-load.ts'
import type { LoadResult } from './run-load.ts'
import { Slots } from './slots.ts'
import { token } from './soaked-server.ts'
import type { SoakedServer } from './soaked-server.ts'
import { Tally } from './tally.ts'
import { openSoakWatch } from './watches.ts'
import type { SoakWatch } from './watches.ts'

/** Measurements of one part. */
export interface PartResult extends LoadResult {
  readonly seconds: number
  readonly requests: number
  readonly events: number
  /** 99th percentile of reads of single objects, in milliseconds. */
  readonly readP99: number
  /** 99th percentile of the time between sending a change and receiving its event, in milliseconds. */
  readonly lagP99: number
  readonly longestGap: number
  /** Heap in use and private memory at the end, in bytes. */
  readonly heap: number
  readonly rss: number
  /** Unexpected answers and differences between metrics and the clients' counts. */
  readonly problems: readonly string[]
}

export interface PartOptions {
  readonly seconds: number
  /** Share of the full rate. */
  readonly rate: number
  readonly watchesPerKind: number
  /** Whether to wait until the server has counted the stored objects, which it does once a minute, and to compare the numbers. */
  readonly comparesObjects: boolean
}

const settleMs = 1000
const batchLabels = ['b3', 'b4'] as const

/** Runs the load on a server for some seconds. */
export async function runPart(server: SoakedServer, { seconds, rate, watchesPerKind, comparesObjects }: PartOptions): Promise<PartResult> {
  using control = new HttpsClient(server.url, token, 1)
  await prepareObjects(control)
  const random = createRandom(Date.now())
  const slots = new Slots(kinds, random)
  const leases = await openLeases(control)
  const known = await readExisting(control)
  for (const slot of slots.all) slot.resourceVersion = known.get(slot.kind)?.get(slot.name)
  const tally = new Tally()
  using client = new CountedClient(server.url, tally)
  let number = Date.now() % 1_000_000
  await wait(settleMs)

  const before = await readMetrics(control)
  const watches = await openWatches(server.url, tally, watchesPerKind)
  const from = Date.now()
  const startTime = performance.now()
  const context = { client, slots, leases, tally, random, next: () => number++ }
  const load = await runLoad({ context, url: server.url, seconds, rate })
  await waitUntilQuiet(watches)
  const to = Date.now()
  const after = await readMetrics(control)
  const objects = await countObjects(control)
  const objectDifferences = comparesObjects ? await waitForObjectCounts(control, objects) : []
  const openCounts = new Map(kinds.map(({ resource }) => [resource, watches.all.length / kinds.length]))
  const problems = [
    ...tally.problems,
    ...(await compareObjects(control, slots)),
    ...objectDifferences,
    ...watches.complete.flatMap((watch) => compareWatch(watch, tally)),
    ...compareCounts({ before, after }, tally, { openWatches: openCounts, otherRequests: watches.all.length + 2 }),
  ]
  for (const watch of watches.all) watch.close()
  await wait(settleMs)
  const heap = await server.usedHeap()
  return {
    seconds: (performance.now() - startTime) / 1000,
    requests: tally.requests,
    ...load,
    events: [...tally.events.values()].reduce((sum, { events }) => sum + events, 0),
    readP99: findPercentile(tally.reads, 0.99),
    lagP99: findPercentile(tally.lags, 0.99),
    longestGap: Math.max(0, ...server.gaps(from, to).map(({ milliseconds }) => milliseconds)),
    heap,
    rss: server.rss(),
    problems,
  }
}

function qualify({ group, resource }: SoakKind): string {
  return group === '' ? resource : `${resource}.${group}`
}

/** Reads the metrics and the metrics of health checks, with one request each. */
async function readMetrics(control: HttpsClient): Promise<MetricsPage> {
  const [metrics, healthMetrics] = [await control.request('GET', '/metrics'), await control.request('GET', '/metrics/slis')]
  return new MetricsPage(metrics.text + healthMetrics.text)
}

/** Returns the number of objects in all namespaces by resource. Controllers create config maps in other namespaces. */
async function countObjects(control: HttpsClient): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>()
  for (const kind of kinds)
    counts.set(qualify(kind), (await control.request('GET', getClusterPath(kind))).parseJson<{ items: unknown[] }>().items.length)
  return counts
}

const countMs = 70_000

/** Waits until the server has counted the objects. Returns the remaining differences. */
async function waitForObjectCounts(control: HttpsClient, objects: ReadonlyMap<string, number>): Promise<readonly string[]> {
  for (const deadline = Date.now() + countMs; ; await wait(settleMs)) {
    const differences = compareObjectCounts(await readMetrics(control), objects)
    if (differences.length === 0 || Date.now() > deadline) return differences
  }
}

/** Creates the namespace and the definition, and waits until both are usable. */
async function prepareObjects(control: HttpsClient): Promise<void> {
  await control.request('POST', '/api/v1/namespaces', { body: { metadata: { name: namespace } } })
  await control.request('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', { body: widgetDefinition })
  for (const path of [`/api/v1/namespaces/${namespace}/serviceaccounts/default`, ...kinds.map(getCollectionPath)])
    for (const deadline = Date.now() + 60_000; (await control.request('GET', path)).status !== 200; await wait(100))
      if (Date.now() > deadline) throw new Error(`${path} does not appear`)
}

const leaseCount = 50

/** Creates the leases that do not exist yet. */
async function openLeases(control: HttpsClient): Promise<readonly Lease[]> {
  const opened: Lease[] = []
  for (let n = 0; n < leaseCount; n++) {
    const name = `node-${n}`
    const created = await control.request('POST', leasesPath, { body: { metadata: { name } } })
    const lease = created.status === 201 ? created : await control.request('GET', `${leasesPath}/${name}`)
    opened.push({
      name,
      resourceVersion: lease.parseJson<{ metadata: { resourceVersion: string } }>().metadata.resourceVersion,
      isBusy: false,
    })
  }
  return opened
}

type Versions = ReadonlyMap<string, string>

/** Returns the resource versions of the existing objects by kind and name. */
async function readExisting(control: HttpsClient): Promise<ReadonlyMap<SoakKind, Versions>> {
  const existing = new Map<SoakKind, Versions>()
  for (const kind of kinds) {
    const { items } = (await control.request('GET', getCollectionPath(kind))).parseJson<{
      items: { metadata: { name: string; resourceVersion: string } }[]
    }>()
    existing.set(kind, new Map(items.map(({ metadata }) => [metadata.name, metadata.resourceVersion])))
  }
  return existing
}

interface OpenWatches {
  readonly all: readonly SoakWatch[]
  /** Watches that receive the events of all changes. */
  readonly complete: readonly SoakWatch[]
}

/** Opens watches of all kinds. One of each kind measures the lag, and the last two select by label. */
async function openWatches(url: string, tally: Tally, perKind: number): Promise<OpenWatches> {
  const all: SoakWatch[] = []
  const complete: SoakWatch[] = []
  for (const kind of kinds) {
    for (let n = 0; n < perKind; n++) {
      const batch = batchLabels[perKind - 1 - n]
      const isComplete = batch === undefined || n === 0
      const query = isComplete ? '' : `labelSelector=batch%3D${batch}`
      const watch = await openSoakWatch({ url, tally, kind, query: `${query}&resourceVersion=0`, measuresLag: n === 0 })
      all.push(watch)
      if (isComplete) complete.push(watch)
    }
  }
  await waitUntilQuiet({ all })
  for (const watch of all) watch.begin()
  tally.lags.length = 0
  return { all, complete }
}

/** Waits until no event has arrived for a second. */
async function waitUntilQuiet({ all }: Pick<OpenWatches, 'all'>): Promise<void> {
  const sumEvents = (): number => all.reduce((sum, watch) => sum + watch.events(), 0)
  for (let last = -1; last !== sumEvents(); await wait(settleMs)) last = sumEvents()
}

function compareWatch(watch: SoakWatch, tally: Tally): string[] {
  const { resource } = watch.kind
  const want = tally.changes.get(resource) ?? 0
  return watch.events() === want ? [] : [`a watch of ${resource} received ${watch.events()} events of ${want} changes`]
}

/** Compares the stored objects with the last known resource versions. */
async function compareObjects(control: HttpsClient, slots: Slots): Promise<string[]> {
  const existing = await readExisting(control)
  return slots.all
    .filter(({ kind, name, resourceVersion }) => existing.get(kind)?.get(name) !== resourceVersion)
    .slice(0, 5)
    .map(
      ({ kind, name, resourceVersion }) =>
        `${kind.resource} ${name} is ${existing.get(kind)?.get(name)}, the last answer had ${resourceVersion}`,
    )
}
