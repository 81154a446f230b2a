import { connect } from 'node:tls'
import type { TLSSocket } from 'node:tls'
import { pods } from '../fill-store.ts'
import type { DatasetSize } from '../fill-store.ts'
import { defaultDataset } from '../frame/open-bench.ts'
import type { Bench } from '../frame/bench.ts'
import type { Figure, Item } from '../frame/item.ts'
import { readUsage } from '../process-usage.ts'
import type { Usage } from '../process-usage.ts'
import { runClient } from '../run-client.ts'
import type { ServerUnderTest } from '../server-under-test.ts'

const large: DatasetSize = { pods: 100_000, configMaps: 0 }
const mebibyte = 1024 * 1024
const listsAtOnce = 10
/** Bar in MiB for items whose operation must not use memory. Allows for measuring errors and for blocks that the allocator keeps. */
const tolerance = 3
const forms = [
  'application/json',
  'application/vnd.kubernetes.protobuf',
  'application/json;as=Table;g=meta.k8s.io;v=v1',
  'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
]

export const memoryItems: readonly Item[] = [
  createMemoryItem({
    name: 'lists',
    title: 'memory after lists of 10,000 pods of 8 KB in all encodings, including mapped files (RSS)',
    bar: { type: 'most', value: 350 },
    async measureMemory(server) {
      for (const accept of forms) await listOnce(server, accept)
      await pause(1000)
      return requireUsage(server).rssMiB
    },
  }),
  createMemoryItem({
    name: 'lists-at-once',
    title: `memory of ${listsAtOnce} concurrent lists of 10,000 pods`,
    bar: { type: 'most', value: 100 },
    async measureMemory(server) {
      await listOnce(server, forms[0]!)
      const idle = await measureSettled(server)
      let peak = idle
      let done = false
      const listing = listOnce(server, forms[0]!, listsAtOnce).finally(() => (done = true))
      while (!done) {
        peak = Math.max(peak, requireUsage(server).rssAnonMiB)
        await pause(20)
      }
      await listing
      return peak - idle
    },
  }),
  createMemoryItem({
    name: 'unread',
    only: 'full',
    title: 'memory of a list whose client does not read',
    bar: { type: 'most', value: tolerance },
    async measureMemory(server) {
      await listOnce(server, forms[0]!)
      const before = await measureSettled(server)
      const silent = await openUnread(server)
      await pause(2000)
      const after = await measureSettled(server)
      silent.destroy()
      return after - before
    },
  }),
  createMemoryItem({
    name: 'kept',
    only: 'full',
    title: 'memory after lists of 100,000 pods of 8 KB in all encodings: at most 1.3 × the stored size and 150 MiB',
    size: large,
    computeMaximum: (stored) => stored * 1.3 + 150,
    async measureMemory(server) {
      for (const accept of forms) await listOnce(server, accept)
      return measureSettled(server)
    },
  }),
]

interface MemoryOptions extends Pick<Item, 'name' | 'title' | 'bar' | 'only'> {
  /** Default: `defaultDataset`. */
  readonly size?: DatasetSize
  /** Computes the maximum memory in MiB from the MiB of stored objects. */
  readonly computeMaximum?: (stored: number) => number
  readonly measureMemory: (server: ServerUnderTest) => Promise<number>
}

/** Creates an item that measures memory. Starts a new server for each measurement. */
function createMemoryItem({ name, title, bar, only, size = defaultDataset, computeMaximum, measureMemory }: MemoryOptions): Item {
  return {
    name: `memory/${name}`,
    title,
    unit: 'MiB',
    ...(bar !== undefined && { bar }),
    ...(only !== undefined && { only }),
    rounds: 1,
    async open(bench: Bench) {
      const { podBytes } = await bench.createDataset(size)
      return {
        ...(computeMaximum !== undefined && { bar: { type: 'most', value: computeMaximum(podBytes / mebibyte) } }),
        sides: [
          {
            name: 'keelson',
            async measure(): Promise<Figure> {
              await bench.stop()
              const server = (await bench.startServer(size))!
              const reached = await measureMemory(server)
              const { rssAnonMiB, peakRssMiB } = requireUsage(server)
              return { value: reached, rssAnonMiB, peakRssMiB }
            },
          },
        ],
      }
    },
  }
}

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds))

function requireUsage({ pid }: ServerUnderTest): Usage {
  return readUsage(pid)!
}

/** Returns the private memory of a server in MiB after garbage collection. */
async function measureSettled(server: ServerUnderTest): Promise<number> {
  await server.probe!.collect()
  await pause(2000)
  return requireUsage(server).rssAnonMiB
}

async function listOnce({ url, token }: ServerUnderTest, accept: string, connections = 1): Promise<void> {
  const request = { method: 'GET', path: pods, accept }
  const { failures, firstFailure } = await runClient({ url, token, connections, pipeline: 1, seconds: 600, count: connections, request })
  if (failures > 0) throw new Error(`${accept} returned ${firstFailure}`)
}

function openUnread({ url, token }: ServerUnderTest): Promise<TLSSocket> {
  const { hostname, port, host } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] }, () => {
      socket.pause()
      socket.write(`GET ${pods} HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${token}\r\n\r\n`)
      resolve(socket)
    })
    socket.on('error', reject)
  })
}
