import type { LoadJob, LoadResult } from '../load-job.ts'
import { resetPeak, usageOf } from '../process-usage.ts'
import { openClient, runClient } from '../run-client.ts'
import type { LoadClient } from '../run-client.ts'
import type { ServerUnderTest } from '../server-under-test.ts'
import type { Figure, Side, Unit } from './item.ts'
import { bareSide } from './judge.ts'
import { warmUntilSteady } from './warm-up.ts'
import type { WarmUpStep } from './warm-up.ts'

/** A load, without where it goes and for how long. */
export type Load = Omit<LoadJob, 'url' | 'token' | 'seconds' | 'rate'>

export interface LoadSideOptions {
  readonly server: ServerUnderTest
  /** Default: the server's. */
  readonly name?: string
  readonly unit: Unit
  /** Asked anew for each measurement, so that names can differ. */
  readonly load: () => Load | Promise<Load>
  /** Made out of what the client saw, where it is neither answers nor events in a second. */
  readonly value?: (result: LoadResult) => number
  /** Loads of one name need a server warmed once. Default: those that ask for the same in the same form. */
  readonly warmAs?: string
  /** Answers that a server has to have given before it is measured, however fast it is. */
  readonly warmRequests?: number
  /** Default: a few seconds. */
  readonly mostWarmSeconds?: number
}

/** What a server may take to become steady. */
const mostSeconds = 3
/** Bare has little to compile, and takes part in every item. */
const bareStepSeconds = 0.5
const mostBareSeconds = 1
const keptOpenSeconds = 0.1

/** What those whose code has run for a while were warmed with. */
const warm = new WeakMap<ServerUnderTest, Set<string>>()

/** A server under a load from another process. Throws when requests fail: figures of failures mean nothing. */
export function loadSide(options: LoadSideOptions): Side {
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
  const measured = async (seconds: number): Promise<{ readonly figure: Figure; readonly result: LoadResult }> => {
    const allocatedBefore = await probe?.allocated()
    const before = usageOf(pid)
    const began = performance.now()
    const result = await run(seconds)
    const wall = (performance.now() - began) / 1000
    const after = usageOf(pid)
    const allocated = await probe?.allocated()
    const units = Math.max(1, events ? result.events : result.requests)
    const cpu = before === undefined || after === undefined ? undefined : after.cpuSeconds - before.cpuSeconds
    const figure: Figure = {
      value: units / (events ? result.eventSeconds : result.seconds),
      // Of requests, that is: how long an event was under way is not known to who counts them.
      ...(!events && { p50: result.p50, p99: result.p99 }),
      megabytesPerSecond: result.bytes / (events ? result.eventSeconds : result.seconds) / 1e6,
      clientCpu: (result.cpuSeconds / units) * 1000,
      clientCores: result.cpuSeconds / result.seconds,
      ...(cpu !== undefined && {
        serverCpu: (cpu / units) * 1000,
        // The server also shook hands with the client's sockets, outside the measured seconds.
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
      const one = await load()
      const form = options.warmAs ?? formOf(one)
      const forms = warm.get(server) ?? new Set()
      // Watches that are kept are opened here, and not while something is measured.
      if (forms.has(form)) return void (one.watch?.keep === true && (await run(keptOpenSeconds)))
      warm.set(server, forms.add(form))
      const bare = server.name === bareSide
      const seconds = bare ? bareStepSeconds : 1
      const step = async (): Promise<WarmUpStep> => {
        const began = performance.now()
        const { figure, result } = await measured(seconds)
        const cost = figure.serverCpu ?? 1 / figure.value
        return { seconds: (performance.now() - began) / 1000, requests: result.requests, rate: figure.value, cost }
      }
      const { warmRequests = 0, mostWarmSeconds = mostSeconds } = options
      const limits = bare
        ? { leastRequests: 0, mostSeconds: mostBareSeconds }
        : { leastRequests: warmRequests, mostSeconds: mostWarmSeconds }
      return warmUntilSteady(step, limits)
    },
    async measure(seconds) {
      resetPeak(pid)
      const { figure, result } = await measured(seconds)
      if (value === undefined) return figure
      // It is not about how fast answers come, so neither side's share of the time says anything.
      const { serverCores: _server, clientCores: _client, clientCpu: _cpu, ...rest } = figure
      return { ...rest, value: value(result) }
    },
    ...(unit === 'requests/s' &&
      value === undefined && {
        async latency(rate: number, seconds: number) {
          const { p50, p99 } = await run(seconds, rate)
          return { rate, p50, p99 }
        },
      }),
    ...(probe !== undefined && { profile: (file: string) => probe.profile(file) }),
    close: () => client?.[Symbol.dispose](),
  }
}

/** What is asked for and how, whatever is in the body and however many ask. */
function formOf({ request, http2 = false, watch, between = [] }: Load): string {
  const { method, path, contentType, accept, acceptEncoding } = request
  return JSON.stringify([method, path, contentType, accept, acceptEncoding, http2, watch !== undefined, between])
}
