import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { LoadJob, LoadResult } from './load-job.ts'
import { pinned } from './pinned.ts'
import { usageOf } from './process-usage.ts'
import type { ServerUnderTest } from './server-under-test.ts'

export interface Measurement {
  readonly server: string
  /** Requests answered, or events delivered, per second. */
  readonly perSecond: number
  readonly requests: number
  readonly failures: number
  readonly p50: number
  readonly p99: number
  readonly megabytesPerSecond: number
  /** CPU seconds for 1,000 requests (or events). */
  readonly serverCpu: number | undefined
  readonly clientCpu: number
  /** Cores that were busy. */
  readonly serverCores: number | undefined
  readonly clientCores: number
  readonly rssAnonMiB: number | undefined
  readonly peakRssMiB: number | undefined
}

/** Runs one load against one server. Throws when requests fail: figures of failures mean nothing. */
export async function measure(server: ServerUnderTest, load: Omit<LoadJob, 'url' | 'token'>, countsEvents: boolean): Promise<Measurement> {
  const before = usageOf(server.pid)
  const began = performance.now()
  const result = await runClient({ ...load, url: server.url, token: server.token })
  const wall = (performance.now() - began) / 1000
  const after = usageOf(server.pid)
  if (result.failures > 0)
    throw new Error(`${server.name}: ${result.failures} of ${result.requests} requests failed, the first with ${result.firstFailure}`)
  const units = countsEvents ? result.events : result.requests
  const cpu = before === undefined || after === undefined ? undefined : after.cpuSeconds - before.cpuSeconds
  return {
    server: server.name,
    perSecond: units / (countsEvents ? result.eventSeconds : result.seconds),
    requests: result.requests,
    failures: result.failures,
    p50: result.p50,
    p99: result.p99,
    megabytesPerSecond: result.bytes / result.seconds / 1e6,
    serverCpu: cpu === undefined ? undefined : (cpu / units) * 1000,
    clientCpu: (result.cpuSeconds / units) * 1000,
    // The server also shook hands with the client's sockets, outside the measured seconds.
    serverCores: cpu === undefined ? undefined : Math.min(cpu / result.seconds, (cpu / wall) * 1.5),
    clientCores: result.cpuSeconds / result.seconds,
    rssAnonMiB: after?.rssAnonMiB,
    peakRssMiB: after?.peakRssMiB,
  }
}

export function runClient(job: LoadJob): Promise<LoadResult> {
  return new Promise((resolve, reject) => {
    const program = fileURLToPath(import.meta.resolve('./load-client.ts'))
    const client = spawn(...pinned('client', process.execPath, [program, JSON.stringify(job)]), { stdio: ['ignore', 'pipe', 'inherit'] })
    let printed = ''
    client.stdout.on('data', (data: Buffer) => (printed += data.toString()))
    client.on('error', reject)
    client.on('close', (code) =>
      code === 0 ? resolve(JSON.parse(printed) as LoadResult) : reject(new Error(`the load client ended with ${code}`)),
    )
  })
}
