import type { LoadJob, LoadResult } from '../load-job.ts'
import { resetPeak, readUsage } from '../process-usage.ts'
import { openClient, runClient } from '../run-client.ts'
import type { LoadClient } from '../run-client.ts'
import type { ServerUnderTest } from '../server-under-test.ts'
import type { Figure, Side, Unit } from './item.ts'
import { bareSide } from './judge.ts'
import { warmUntilSteady } from './warm-up.ts'
import type { WarmUpStep } from './warm-up.ts'

/** The requests and connections of a load, without the server and the duration. */
export type Load = Omit<LoadJob, 'url' | 'token' | 'seconds' | 'rate'>

export interface LoadSideOptions {
  readonly server: ServerUnderTest
  /** Name of the side. Defaults to the name of the server. */
  readonly name?: string
  readonly unit: Unit
  /** Creates the load of each measurement, so that each can use new object names. */
  readonly load: () => Load | Promise<Load>
  /** Computes the value from the client's result. By default the value is the rate of responses or events. */
  readonly value?: (result: LoadResult) => number
  /** Name of the warm-up. Each server is warmed up once per name. By default, loads with the same kind of requests have the same name. */
  readonly warmAs?: string
  /** Minimum number of responses in the warm-up. */
  readonly warmRequests?: number
  /** Maximum duration of the warm-up in seconds. */
  readonly maxWarmSeconds?: number
}

/** Default maximum duration in seconds of a server's warm-up. */
const maxSeconds = 3
/**
 * Duration in seconds of a warm-up step of the bare server. Short, because the bare server has little code to compile and almost every item
 * uses it.
 */
const bareStepSeconds = 0.5
const maxBareSeconds = 1
const keptOpenSeconds = 0.1

/** Names of the warm-ups that each server has had. */
const warm = new WeakMap<ServerUnderTest, Set<string>>()

/**
 * Creates a side that measures a server under load from another process. A measurement fails if requests fail, because the rate of failed
 * requests is meaningless.
 */
export function createLoadSide(options: LoadSideOptions): Side {
  const { server, name = server.name, unit, load, value } = options
  const { url, token, pid, probe } = server
  let client: LoadClient | undefined
  const run = async (seconds: number, rate?: number): Promise<LoadResult> => {
    const job = { ...(await load()), url, token, seconds, ...(rate !== undefined && { rate }) }
    const result = await (job.watch?.keep === true ? (client ??= openClient()).run(job) : runClient(job))
    if (result.failures > 0)
      throw new Error(`${name}: ${result.failures} of ${result.requests} requests failed, the first with ${result.firstFailure}`)
    return result
  }
  const events = unit === 'events/s'
  const measureLoad = async (seconds: number): Promise<{ readonly figure: Figure; readonly result: LoadResult }> => {
    const allocatedBefore = await probe?.measureAllocated()
    const before = readUsage(pid)
    const began = performance.now()
    const result = await run(seconds)
    const wall = (performance.now() - began) / 1000
    const after = readUsage(pid)
    const allocated = await probe?.measureAllocated()
    const units = Math.max(1, events ? result.events : result.requests)
    const cpu = before === undefined || after === undefined ? undefined : after.cpuSeconds - before.cpuSeconds
    const figure: Figure = {
      value: units / (events ? result.eventSeconds : result.seconds),
      // Only for requests. The client cannot measure the latency of events.
      ...(!events && { p50: result.p50, p99: result.p99 }),
      megabytesPerSecond: result.bytes / (events ? result.eventSeconds : result.seconds) / 1e6,
      clientCpu: (result.cpuSeconds / units) * 1000,
      clientCores: result.cpuSeconds / result.seconds,
      ...(cpu !== undefined && {
        serverCpu: (cpu / units) * 1000,
        // The server also spends processor time on TLS handshakes, outside the measured seconds.
        serverCores: Math.min(cpu / result.seconds, (cpu / wall) * 1.5),
      }),
      ...(after !== undefined && { rssAnonMiB: after.rssAnonMiB, peakRssMiB: after.peakRssMiB }),
      ...(allocated !== undefined && allocatedBefore !== undefined && { allocatedBytes: (allocated - allocatedBefore) / units }),
    }
    return { figure, result }
  }
  return {
    name,
    async warmUp() {
      const job = await load()
      const form = options.warmAs ?? identifyLoad(job)
      const forms = warm.get(server) ?? new Set()
      // Opens the watches that stay open before the measurement, so that opening them is not measured.
      if (forms.has(form)) return void (job.watch?.keep === true && (await run(keptOpenSeconds)))
      warm.set(server, forms.add(form))
      const bare = server.name === bareSide
      const seconds = bare ? bareStepSeconds : 1
      const step = async (): Promise<WarmUpStep> => {
        const began = performance.now()
        const { figure, result } = await measureLoad(seconds)
        const cost = figure.serverCpu ?? 1 / figure.value
        return { seconds: (performance.now() - began) / 1000, requests: result.requests, rate: figure.value, cost }
      }
      const { warmRequests = 0, maxWarmSeconds = maxSeconds } = options
      const limits = bare ? { minRequests: 0, maxSeconds: maxBareSeconds } : { minRequests: warmRequests, maxSeconds: maxWarmSeconds }
      return warmUntilSteady(step, limits)
    },
    async measure(seconds) {
      resetPeak(pid)
      const { figure, result } = await measureLoad(seconds)
      if (value === undefined) return figure
      // Omits the core counts, because they only apply to rates.
      const { serverCores: _server, clientCores: _client, clientCpu: _cpu, ...rest } = figure
      return { ...rest, value: value(result) }
    },
    ...(unit === 'requests/s' &&
      value === undefined && {
        async measureLatency(rate: number, seconds: number) {
          const { p50, p99 } = await run(seconds, rate)
          return { rate, p50, p99 }
        },
      }),
    ...(probe !== undefined && { startProfile: (file: string) => probe.startProfile(file) }),
    close: () => client?.[Symbol.dispose](),
  }
}

/** Returns a name for the kind of requests in a load. Bodies and the number of clients do not change the name. */
function identifyLoad({ request, http2 = false, watch, interleavedRequests = [] }: Load): string {
  const { method, path, contentType, accept, acceptEncoding } = request
  return JSON.stringify([method, path, contentType, accept, acceptEncoding, http2, watch !== undefined, interleavedRequests])
}
