import type { DatasetSize } from '../fill-store.ts'
import type { Store } from '../frame/bench.ts'
import type { Bar, Item, Only } from '../frame/item.ts'
import { createLoadSide } from '../frame/load-side.ts'
import type { Load } from '../frame/load-side.ts'
import { defaultDataset } from '../frame/open-bench.ts'
import { ask, startBare } from '../server-under-test.ts'

export interface ReadBenchmarkOptions {
  readonly name: string
  readonly title: string
  readonly path: string
  readonly accept?: string
  readonly acceptEncoding?: string
  readonly clients: number
  /** Number of pending requests per connection. Default: 1. */
  readonly atOnce?: number
  /** Whether Keelson and the bare server use HTTP/2. Default: HTTP/1.1. */
  readonly http2?: boolean
  /** Store of the Keelson server. Default: embedded. */
  readonly store?: Store
  /** Default: `defaultDataset`. Foreign servers have no other dataset. */
  readonly size?: DatasetSize
  readonly bar?: Bar | undefined
  readonly only?: Only
}

/** Creates an item that repeats one read request. The bare server responds with the same bytes as Keelson. */
export function createReadItem(options: ReadBenchmarkOptions): Item {
  const {
    name,
    title,
    path,
    accept,
    acceptEncoding,
    clients,
    atOnce = 1,
    http2 = false,
    store = 'embedded',
    size = defaultDataset,
    bar,
    only,
  } = options
  const compares = size === defaultDataset
  const load: Load = {
    connections: clients,
    pipeline: atOnce,
    http2,
    request: { method: 'GET', path, ...(accept !== undefined && { accept }), ...(acceptEncoding !== undefined && { acceptEncoding }) },
  }
  return {
    name: `http/${name}`,
    title,
    unit: 'requests/s',
    ...(bar !== undefined && { bar }),
    compares,
    ...(only !== undefined && { only }),
    async open(bench, stack) {
      const server = await bench.startServer(size, { store })
      if (server === undefined) return undefined
      const servers = [server, ...(compares ? await bench.startComparedServers(defaultDataset) : [])]
      if (bench.withBare) {
        const sample = await ask(server, 'GET', path, undefined, { ...(accept && { accept }), ...(acceptEncoding && { acceptEncoding }) })
        if (sample.status !== 200) throw new Error(`${path} returned ${sample.status}: ${sample.body.toString()}`)
        servers.push(stack.use(await startBare(bench.scratch, { body: sample.body, ...(http2 && { kind: 'http2' }) })))
      }
      return { sides: servers.map((each) => createLoadSide({ server: each, unit: 'requests/s', load: () => load })) }
    },
  }
}
