import { configMapName, configMaps, podName, pods } from '../fill-store.ts'
import type { DatasetSize } from '../fill-store.ts'
import type { Item } from '../frame/item.ts'
import { loadSide } from '../frame/load-side.ts'
import type { Load } from '../frame/load-side.ts'
import type { RequestTemplate } from '../load-job.ts'
import { ask } from '../server-under-test.ts'
import type { ServerUnderTest } from '../server-under-test.ts'

interface Kind {
  readonly name: string
  readonly size: (count: number) => DatasetSize
  readonly path: string
  readonly objectName: (n: number) => string
  /** One like those that are there. */
  readonly body: (name: string) => object
}

const small: Kind = {
  name: '1 KB',
  size: (count) => ({ pods: 1, configMaps: count }),
  path: configMaps,
  objectName: configMapName,
  body: (name) => ({ metadata: { name }, data: { text: 'a line that means nothing. '.repeat(32) } }),
}

const large: Kind = {
  name: '8 KB',
  size: (count) => ({ pods: count, configMaps: 0 }),
  path: pods,
  objectName: podName,
  body: (name) => ({ metadata: { name }, spec: { containers: [{ name: 'main', image: 'registry.example/bench:1' }] } }),
}

let runs = Date.now() % 1_000_000

const requests: Readonly<Record<string, (kind: Kind) => RequestTemplate>> = {
  GET: ({ path, objectName }) => ({ method: 'GET', path: `${path}/${objectName(0)}` }),
  create: ({ path, body }) => ({
    method: 'POST',
    path,
    contentType: 'application/json',
    body: JSON.stringify(body(`new-${runs++}-{n}`)),
  }),
  patch: ({ path, objectName }) => ({
    method: 'PATCH',
    path: `${path}/${objectName(0).slice(0, -6)}{n}`,
    digits: 6,
    modulo: 1000,
    contentType: 'application/merge-patch+json',
    body: JSON.stringify({ metadata: { annotations: { 'example.com/touched': `${runs++}` } } }),
  }),
}

/** How much longer one thing takes when there is ten times as much. Servers with few and with many objects are measured in turns. */
function growthItem(
  kind: Kind,
  what: string,
  counts: readonly number[],
  options: { readonly full?: boolean; readonly load: Load | ((server: ServerUnderTest) => Promise<Load>); readonly perObject?: boolean },
): Item {
  const [to, of] = [counts.at(-2)!, counts.at(-1)!]
  const events = what === 'event'
  return {
    name: `growth/${what}-${kind.name === '1 KB' ? '1k' : '8k'}${options.full === true ? '-full' : ''}`,
    title: `${what === 'event' ? 'a change and its event at a watch' : what} among ${counts.map((count) => count.toLocaleString('en')).join(', ')} objects of ${kind.name}${options.perObject === true ? ', time of 1,000 listed objects' : ''}`,
    unit: 'ms',
    bar: { type: 'ratio', of: of.toLocaleString('en'), to: to.toLocaleString('en'), most: 1.3 },
    rounds: 2,
    ...(options.full === true && { full: true }),
    async open(bench) {
      const sides = []
      for (const count of counts) {
        const server = (await bench.server(kind.size(count)))!
        sides.push(
          loadSide({
            server,
            name: count.toLocaleString('en'),
            unit: events ? 'events/s' : 'requests/s',
            load: async () => (typeof options.load === 'function' ? options.load(server) : options.load),
            value: ({ p50, eventSeconds, events: delivered }) =>
              events ? (eventSeconds * 1000) / delivered : options.perObject === true ? (p50 * 1000) / count : p50,
          }),
        )
      }
      return { sides }
    },
  }
}

const usualCounts = [1000, 10_000, 100_000]
const fullCounts = [10_000, 100_000, 300_000]

function growthOf(kind: Kind, counts: readonly number[], full: boolean): readonly Item[] {
  const single = Object.entries(requests).map(([what, request]) => {
    const load = async (): Promise<Load> => ({ connections: 4, pipeline: 1, request: request(kind) })
    return growthItem(kind, what, counts, { full, load })
  })
  const list = growthItem(kind, 'LIST', counts, {
    full,
    perObject: true,
    load: { connections: 1, pipeline: 1, request: { method: 'GET', path: kind.path } },
  })
  const event = growthItem(kind, 'event', counts, {
    full,
    async load(server) {
      const { body } = await ask(server, 'GET', `${kind.path}?limit=1`)
      const { resourceVersion } = (JSON.parse(body.toString()) as { metadata: { resourceVersion: string } }).metadata
      const watch = { path: `${kind.path}?watch=1&resourceVersion=${resourceVersion}`, streams: 1 }
      return { connections: 4, pipeline: 1, request: requests['patch']!(kind), watch }
    },
  })
  return [...single, event, list]
}

export const growthItems: readonly Item[] = [
  ...growthOf(small, usualCounts, false),
  ...growthOf(small, fullCounts, true),
  ...growthOf(large, fullCounts, true),
]
