import { configMaps, formatPodName, pods } from '../fill-store.ts'
import type { DatasetSize } from '../fill-store.ts'
import { defaultDataset } from '../frame/open-bench.ts'
import type { Item, Only } from '../frame/item.ts'
import { createLoadSide } from '../frame/load-side.ts'
import type { RequestTemplate } from '../load-job.ts'
import { runClient } from '../run-client.ts'

const many: DatasetSize = { pods: 10_000, configMaps: 300_000 }
const noConfigMap = `${configMaps}?labelSelector=nothing`

export const latencyItems: readonly Item[] = [
  createLatencyItem({
    name: 'latency/get-during-lists',
    title: 'p99 of GET while 4 clients LIST 10,000 pods',
    size: defaultDataset,
    busy: { method: 'GET', path: pods },
    busyClients: 4,
  }),
  createLatencyItem({
    name: 'http/get-during-gzip',
    only: 'named',
    title: 'p99 of GET while 4 clients LIST 10,000 pods, compressed',
    size: defaultDataset,
    busy: { method: 'GET', path: pods, acceptEncoding: 'gzip' },
    busyClients: 4,
  }),
  createLatencyItem({
    name: 'latency/get-during-selection',
    only: 'named',
    title: 'p99 of GET while a LIST by a selector without matches reads 300,000 objects',
    size: many,
    busy: { method: 'GET', path: noConfigMap },
    busyClients: 1,
  }),
  {
    name: 'latency/nothing-selected',
    only: 'named',
    title: 'LIST of 300,000 objects by a selector without matches',
    unit: 'ms',
    bar: { type: 'most', value: 150 },
    async open(bench) {
      const server = (await bench.startServer(many))!
      const load = { connections: 1, pipeline: 1, count: 15, request: { method: 'GET', path: noConfigMap } }
      return { sides: [createLoadSide({ server, unit: 'requests/s', load: () => load, value: ({ p50 }) => p50 })] }
    },
  },
]

interface LatencyOptions {
  readonly name: string
  readonly title: string
  readonly size: DatasetSize
  /** Large request that `busyClients` clients send continuously during the measurement. */
  readonly busy: RequestTemplate
  readonly busyClients: number
  readonly only?: Only
}

/** Creates an item that measures the p99 latency of small reads while other clients send large requests. */
function createLatencyItem({ name, title, size, busy, busyClients, only }: LatencyOptions): Item {
  return {
    name,
    title,
    unit: 'ms',
    bar: { type: 'most', value: 25 },
    ...(only !== undefined && { only }),
    async open(bench) {
      const server = (await bench.startServer(size))!
      const request = { method: 'GET', path: `${pods}/${formatPodName(0)}` }
      const side = createLoadSide({
        server,
        unit: 'requests/s',
        load: () => ({ connections: 1, pipeline: 1, request }),
        value: ({ p99 }) => p99,
      })
      return {
        sides: [
          {
            ...side,
            async measure(seconds) {
              const { url, token } = server
              const lists = runClient({ url, token, connections: busyClients, pipeline: 1, seconds: seconds + 2, request: busy })
              await new Promise((resolve) => setTimeout(resolve, 1000))
              const figure = await side.measure(seconds)
              const { failures, firstFailure } = await lists
              if (failures > 0) throw new Error(`${busy.path} failed with ${firstFailure}`)
              return figure
            },
          },
        ],
      }
    },
  }
}
