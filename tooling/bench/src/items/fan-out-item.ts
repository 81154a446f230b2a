import { pods } from '../fill-store.ts'
import type { Bar, Item } from '../frame/item.ts'
import { createLoadSide } from '../frame/load-side.ts'
import type { Load } from '../frame/load-side.ts'
import { defaultDataset } from '../frame/open-bench.ts'
import { ask, startBare } from '../server-under-test.ts'
import type { ServerUnderTest } from '../server-under-test.ts'
import { openWatchedPatches } from './watched-patches.ts'

/** Load of the client that writes. It sends several changes at once, so that the server has work while it writes a change to disk. */
const changes = { connections: 32, pipeline: 1 }

export interface FanOutOptions {
  readonly watchers: number
  readonly bar?: Bar
}

/**
 * Creates an item that patches pods and measures the rate of events on watches of all pods. The bare server writes the same bytes to the
 * same number of sockets.
 */
export function createFanOutItem({ watchers, bar }: FanOutOptions): Item {
  return {
    name: `watch/${watchers}`,
    title: `events of 8 KB to ${watchers === 1 ? 'one watch' : `${watchers.toLocaleString('en')} watches`} of all pods`,
    unit: 'events/s',
    ...(bar !== undefined && { bar }),
    compares: true,
    // Fewer rounds, because each round leaves many events pending.
    ...(watchers >= 1000 && { rounds: 2 }),
    async open(bench, stack) {
      const server = (await bench.startServer(defaultDataset))!
      const sides = [server, ...(await bench.startComparedServers(defaultDataset))].map((each) =>
        createLoadSide({
          server: each,
          unit: 'events/s',
          load: async () => ({ ...changes, ...(await openWatchedPatches(each, watchers)) }),
        }),
      )
      if (bench.withBare) {
        const bare = stack.use(await startBare(bench.scratch, { body: await buildEvent(server) }))
        sides.push(createLoadSide({ server: bare, unit: 'events/s', load: () => emits(watchers) }))
      }
      return { sides }
    },
  }
}

/** Item that checks the order of events: each of many watches must receive all events once and in order. */
export const orderItem: Item = {
  name: 'watch/order',
  title: 'duplicate, late and missing events of 2,000 watches',
  unit: 'faults',
  bar: { type: 'most', value: 0 },
  rounds: 1,
  async open(bench) {
    const server = (await bench.startServer(defaultDataset))!
    const load = async (): Promise<Load> => {
      const { request, watch } = await openWatchedPatches(server, 2000)
      return { ...changes, request, watch: { ...watch!, checkOrder: true } }
    }
    const scoreDelivery = ({ disorder, events, requests }: { disorder: number; events: number; requests: number }): number =>
      disorder + Math.abs(requests * 2000 - events)
    return { sides: [createLoadSide({ server, unit: 'events/s', load, value: scoreDelivery })] }
  },
}

function emits(watchers: number): Load {
  return {
    ...changes,
    request: { method: 'POST', path: '/emit', contentType: 'application/json', body: '{}' },
    watch: { path: '/?watch=1', streams: watchers, keep: true },
  }
}

async function buildEvent(server: ServerUnderTest): Promise<Buffer> {
  const { body } = await ask(server, 'GET', `${pods}?limit=1`)
  const [pod] = (JSON.parse(body.toString()) as { items: object[] }).items
  return Buffer.from(`{"type":"MODIFIED","object":${JSON.stringify({ kind: 'Pod', apiVersion: 'v1', ...pod })}}\n`)
}
