import { selectEverything, selectField } from '@keelson/apimachinery'
import { Cacher } from '@keelson/cacher'
import { createRecordCodec, IteratedWatch } from '@keelson/storagebackend'
import type { ObjectEvent, Storage, WatchObjectsOptions } from '@keelson/storagebackend'
import type { Figure, Item, Side } from '../frame/item.ts'
import { computeMedian } from '../frame/middle.ts'

const prefix = '/registry/pods/'
const podCount = 10_000
/** Number of changes per pod in one measurement. Enough that garbage collection runs in each measurement. */
const changes = 5
const codec = createRecordCodec({
  kind: 'Pod',
  schemaVersion: 1,
  selectableFields: { 'spec.nodeName': (pod) => (pod as { spec?: { nodeName?: string } }).spec?.nodeName ?? '' },
})

const few = 100
const many = 10_000

/**
 * Item that compares the cost of an event in a cacher with many watchers and with few watchers. Each watcher selects the pods of one node.
 * Runs in this process without a store.
 */
export const dispatchItem: Item = {
  name: 'watch/dispatch',
  title: `processor time of an event with ${few} and with ${many.toLocaleString('en')} watchers of one node each`,
  unit: 'µs',
  bar: { type: 'ratio', of: many.toLocaleString('en'), to: few.toLocaleString('en'), maximum: 1.2 },
  rounds: 3,
  async open(_bench, stack) {
    const sides: Side[] = []
    for (const count of [few, many]) {
      const watched = stack.use(await openWatched(count))
      sides.push({ name: count.toLocaleString('en'), measure: () => measure(watched) })
    }
    return { sides }
  },
}

async function measure(watched: Watched): Promise<Figure> {
  const times: number[] = []
  for (let i = 0; i < 5; i++) times.push(await watched.deliverEach())
  return { value: computeMedian(times) }
}

interface Watched extends AsyncDisposable {
  /** Changes each pod and waits for its watcher, one by one. Returns the microseconds of processor time per change. */
  deliverEach(): Promise<number>
}

async function openWatched(watchers: number): Promise<Watched> {
  const store = new EventSource()
  const cacher = new Cacher({ storage: store.storage, prefix, triggerField: 'spec.nodeName', digestPeriod: 0 })
  await cacher.waitUntilReady(10_000)
  const stops = Array.from({ length: watchers }, () => new AbortController())
  let seen = 0
  const readers = stops.map(async (stop, node) => {
    const predicate = { labels: selectEverything(), fields: selectField('spec.nodeName', formatNodeName(node)) }
    const watch = await cacher.watch(prefix, { resourceVersion: '1', predicate, signal: stop.signal })
    await watch.forEach((batch) => {
      seen += batch.length
    })
  })
  // The node of every pod has a watcher, with few and with many watchers.
  const values = Array.from({ length: podCount }, (_, n) => {
    const name = `pod-${String(n).padStart(5, '0')}`
    const object = { metadata: { name, namespace: 'bench', uid: name }, spec: { nodeName: formatNodeName(n % watchers) } }
    return { key: `${prefix}bench/${name}`, value: codec.encode(object) }
  })
  let revision = 1
  return {
    async deliverEach() {
      const from = seen
      const events = Array.from({ length: changes }, () =>
        values.map(({ key, value }): ObjectEvent => ({ type: 'MODIFIED', object: codec.open(key, value, ++revision) })),
      ).flat()
      const began = process.cpuUsage()
      for (const event of events) {
        const before = seen
        store.deliver([event])
        while (seen === before) await Promise.resolve()
      }
      const { user, system } = process.cpuUsage(began)
      if (seen - from !== events.length) throw new Error(`${seen - from} of ${events.length} events were delivered`)
      return (user + system) / events.length
    },
    async [Symbol.asyncDispose]() {
      for (const stop of stops) stop.abort()
      await Promise.all(readers)
      await cacher.close()
    },
  }
}

/** A store without objects that generates its own changes. */
class EventSource {
  #next: ((batch: readonly ObjectEvent[] | undefined) => void) | undefined

  readonly storage = {
    list: async () => ({ revision: 1, continue: '', remainingItemCount: undefined, items: [] }),
    watch: async (_key: string, { signal }: WatchObjectsOptions) => new IteratedWatch(this.#watch(signal)),
    getCurrentRevision: async () => 1,
    close: async () => {},
  } as unknown as Storage

  deliver(batch: readonly ObjectEvent[]): void {
    this.#next!(batch)
  }

  async *#watch(signal: AbortSignal): AsyncGenerator<readonly ObjectEvent[]> {
    signal.addEventListener('abort', () => this.#next?.(undefined))
    for (;;) {
      const batch = await new Promise<readonly ObjectEvent[] | undefined>((resolve) => (this.#next = resolve))
      if (batch === undefined) return
      yield batch
    }
  }
}

function formatNodeName(node: number): string {
  return `node-${String(node).padStart(5, '0')}`
}
