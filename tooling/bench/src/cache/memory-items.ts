import { connect } from 'node:tls'
import type { TLSSocket } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { usageOf } from '../process-usage.ts'
import { runClient } from '../measure.ts'
import type { ServerUnderTest } from '../server-under-test.ts'
import type { CacheItem } from './cache-item.ts'
import { pods } from './fill-store.ts'
import type { DatasetSize } from './fill-store.ts'

const nodeFlags: readonly string[] = ['--expose-gc', '--import', fileURLToPath(import.meta.resolve('./collect-garbage.mjs'))]
const mebibyte = 1024 * 1024
const forms: Readonly<Record<string, string>> = {
  JSON: 'application/json',
  protobuf: 'application/vnd.kubernetes.protobuf',
  Table: 'application/json;as=Table;g=meta.k8s.io;v=v1',
  PartialObjectMetadata: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
}

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds))

function anonymous({ pid }: ServerUnderTest): number {
  return usageOf(pid)?.rssAnonMiB ?? NaN
}

/** What stays when everything that can go is gone. */
async function settled(server: ServerUnderTest): Promise<number> {
  process.kill(server.pid!, 'SIGUSR2')
  await pause(2000)
  return anonymous(server)
}

async function listOnce(server: ServerUnderTest, accept: string, connections = 1): Promise<number> {
  const { url, token } = server
  const request = { method: 'GET', path: pods, accept }
  const result = await runClient({ url, token, connections, pipeline: 1, seconds: 600, count: connections, request })
  if (result.failures > 0) throw new Error(`${accept} answered ${result.firstFailure}`)
  return result.seconds
}

/** What a server keeps after it has answered in every form, beside the sum of the values that it stores. */
export function keptItem(options: { readonly size: DatasetSize; readonly factor: number; readonly plusMiB: number }): CacheItem {
  const { size, factor, plusMiB } = options
  return {
    name: 'memory',
    title: `memory with ${size.pods.toLocaleString('en')} pods, after a list in each form`,
    async run(bench) {
      const { podBytes } = await bench.dataset(size)
      const server = await bench.freshServer(size, { nodeFlags })
      const stored = podBytes / mebibyte
      const most = stored * factor + plusMiB
      const lines = [`  ${stored.toFixed(0)} MiB stored`, `  idle ${(await settled(server)).toFixed(0)} MiB`]
      let last = 0
      for (const [form, accept] of Object.entries(forms)) {
        const seconds = await listOnce(server, accept)
        const right = anonymous(server)
        last = await settled(server)
        lines.push(
          `  ${form.padEnd(22)} ${last.toFixed(0)} MiB kept, ${right.toFixed(0)} MiB right after the list, which took ${seconds.toFixed(1)} s`,
        )
      }
      const usage = usageOf(server.pid)!
      lines.push(
        `  peak RSS ${usage.peakRssMiB.toFixed(0)} MiB, of files ${usage.rssFileMiB.toFixed(0)} MiB now, cpu ${usage.cpuSeconds.toFixed(1)} s`,
      )
      return { lines, wanted: `at most ${most.toFixed(0)} MiB`, reached: `${last.toFixed(0)} MiB`, met: last <= most }
    },
  }
}

/** What lists under way take: several that are read, and one that is not. */
export function listsUnderWayItem(options: { readonly size: DatasetSize; readonly lists: number; readonly mostMiB: number }): CacheItem {
  const { size, lists, mostMiB } = options
  return {
    name: 'lists',
    title: `memory of ${lists} lists of ${size.pods.toLocaleString('en')} pods at once, and of one more whose client does not read`,
    async run(bench) {
      const server = await bench.freshServer(size, { nodeFlags })
      await listOnce(server, forms['JSON']!)
      const idle = await settled(server)
      let done = false
      const all = listOnce(server, forms['JSON']!, lists).finally(() => (done = true))
      let peak = idle
      while (!done) {
        peak = Math.max(peak, anonymous(server))
        await pause(20)
      }
      const seconds = await all
      const before = await settled(server)
      const silent = await openUnread(server)
      await pause(2000)
      const after = await settled(server)
      silent.destroy()
      const rise = peak - idle
      const unread = after - before
      return {
        lines: [
          `  idle ${idle.toFixed(0)} MiB, at most ${peak.toFixed(0)} MiB during the lists, which took ${seconds.toFixed(1)} s`,
          `  ${before.toFixed(0)} MiB before the list that nobody reads, ${after.toFixed(0)} MiB with it`,
        ],
        wanted: `${mostMiB} MiB more at most, and nothing (${tolerance} MiB) for the unread one`,
        reached: `${rise.toFixed(0)} MiB and ${unread.toFixed(1)} MiB`,
        met: rise <= mostMiB && unread <= tolerance,
      }
    },
  }
}

/** A few slabs, and what the measure itself moves by. */
const tolerance = 3

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
