import type { LoadJob, LoadResult } from '../load-job.ts'
import { resetPeak, usageOf } from '../process-usage.ts'
import { runClient } from '../run-client.ts'
import type { ServerUnderTest } from '../server-under-test.ts'
import type { Figure, Side, Unit } from './item.ts'

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
}

/** Those whose code has run for a while: the engine takes seconds until it has compiled what a request passes through. */
const warm = new WeakSet<ServerUnderTest>()

/** A server under a load from another process. Throws when requests fail: figures of failures mean nothing. */
export function loadSide({ server, name = server.name, unit, load, value }: LoadSideOptions): Side {
  const { url, token, pid, probe } = server
  const run = async (seconds: number, rate?: number): Promise<LoadResult> => {
    const result = await runClient({ ...(await load()), url, token, seconds, ...(rate !== undefined && { rate }) })
    if (result.failures > 0)
      throw new Error(`${name}: ${result.failures} of ${result.requests} requests failed, the first with ${result.firstFailure}`)
    return result
  }
  const events = unit === 'events/s'
  return {
    name,
    warmUp() {
      const seconds = warm.has(server) ? 1 : 3
      warm.add(server)
      return run(seconds)
    },
    async measure(seconds) {
      resetPeak(pid)
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
  }
}
