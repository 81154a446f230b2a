import { measure, runClient } from '../measure.ts'
import type { CacheItem } from './cache-item.ts'
import { podName, pods } from './fill-store.ts'
import type { DatasetSize } from './fill-store.ts'

export interface LatencyOptions {
  readonly name: string
  readonly title: string
  readonly size: DatasetSize
  /** Asked for without pause on so many connections while single pods are read. */
  readonly busyPath: string
  readonly busyConnections: number
  /** They take an answer that is compressed. Default: none. */
  readonly busyGzip?: boolean
  /** Milliseconds. */
  readonly most: number
}

/** How long the slowest hundredth of small reads takes while large ones are going on. */
export function latencyItem({ name, title, size, busyPath, busyConnections, busyGzip = false, most }: LatencyOptions): CacheItem {
  return {
    name,
    title,
    async run(bench) {
      const server = await bench.server(size)
      const seconds = Math.max(3, bench.seconds)
      const { url, token } = server
      const busy = runClient({
        url,
        token,
        connections: busyConnections,
        pipeline: 1,
        seconds: seconds + 2,
        request: { method: 'GET', path: busyPath, ...(busyGzip ? { acceptEncoding: 'gzip' } : {}) },
      })
      await new Promise((resolve) => setTimeout(resolve, 1000))
      const get = await measure(
        server,
        { connections: 1, pipeline: 1, seconds, request: { method: 'GET', path: `${pods}/${podName(0)}` } },
        false,
      )
      const large = await busy
      if (large.failures > 0) throw new Error(`${busyPath} failed with ${large.firstFailure}`)
      return {
        lines: [
          `  GET   ${get.requests} answered, p50 ${get.p50.toFixed(2)} ms  p99 ${get.p99.toFixed(2)} ms`,
          `  LIST  ${large.requests} answered, p50 ${large.p50.toFixed(0)} ms`,
          `  server ${(get.serverCores ?? NaN).toFixed(2)} cores  RssAnon ${(get.rssAnonMiB ?? NaN).toFixed(0)} MiB, peak RSS ${(get.peakRssMiB ?? NaN).toFixed(0)} MiB`,
        ],
        wanted: `p99 of at most ${most} ms`,
        reached: `${get.p99.toFixed(1)} ms`,
        met: get.p99 <= most,
      }
    },
  }
}
