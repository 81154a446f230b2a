import { openHttp2 } from './http2-connection.ts'
import { openHttp1 } from './load-connection.ts'
import type { ConnectionOptions, LoadConnection } from './load-connection.ts'
import type { LoadFailure, LoadJob, LoadResult } from './load-job.ts'
import { openClosedLoop, openLoop } from './load-loops.ts'
import { createMixedMaker } from './request-maker.ts'
import { openWatches } from './watch-streams.ts'
import type { WatchStreams, WatchStreamsOptions } from './watch-streams.ts'

/**
 * Runs loads that the parent process sends, one after the other. A separate process, so that its processor time is not counted as the
 * server's. It runs many loads, because newly compiled code is slower.
 */
process.on('message', (job: LoadJob) => {
  const answer = (message: LoadResult | LoadFailure): void => void process.send!(message)
  run(job).then(answer, (error: Error) => answer({ error: error.message }))
})
process.on('disconnect', () => process.exit())

let keptStreams: WatchStreams | undefined

async function run(load: LoadJob): Promise<LoadResult> {
  const { url, token, watch } = load
  const streams = watch === undefined ? undefined : await reuseWatches({ url, token, ...watch })
  // For newly opened streams, counts the events that arrived before the load too.
  const eventsBefore = streams !== undefined && streams === keptStreams ? streams.countEvents() : 0
  const next = createMixedMaker([{ request: load.request, times: 1 }, ...(load.interleavedRequests ?? [])])
  const loop = (load.rate === undefined ? openClosedLoop : openLoop)(load, next)
  const connections: LoadConnection[] = []
  for (let i = 0; i < load.connections; i++) {
    const options: ConnectionOptions = {
      url,
      token,
      onEnd: (reason) => loop.fail(reason),
      onAnswer: (status, since) => loop.onAnswer(i, status, since),
    }
    connections.push(await (load.http2 === true ? openHttp2 : openHttp1)(options))
  }

  const sumBytesRead = (): number => connections.reduce((sum, connection) => sum + connection.countBytesRead(), streams?.countBytes() ?? 0)
  const bytesBefore = sumBytesRead()
  const cpuBefore = process.cpuUsage()
  const began = performance.now()
  const { latencies, failures, firstFailure } = await loop.run(connections)
  const seconds = (performance.now() - began) / 1000
  // The expected number of events is known if the load consists only of changes: each change is one event per stream. To detect duplicates,
  // the client must wait longer instead.
  const known = watch?.keep === true && load.interleavedRequests === undefined && watch.checkOrder !== true
  if (streams !== undefined) await streams.waitUntilSettled(known ? eventsBefore + latencies.length * watch.streams : Infinity)
  const cpu = process.cpuUsage(cpuBefore)
  const bytes = sumBytesRead() - bytesBefore
  for (const connection of connections) connection.close()
  if (watch?.keep === true) keptStreams = streams
  else streams?.close()
  latencies.sort((a, b) => a - b)
  const locateAt = (share: number): number => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? 0
  return {
    requests: latencies.length,
    failures,
    firstFailure,
    seconds,
    cpuSeconds: (cpu.user + cpu.system) / 1e6,
    bytes,
    p50: locateAt(0.5),
    p99: locateAt(0.99),
    events: (streams?.countEvents() ?? 0) - eventsBefore,
    eventSeconds: Math.max(seconds, ((streams?.getLastEventTime() ?? 0) - began) / 1000),
    watchSeconds: streams === undefined ? 0 : (streams.getLastEventTime() - streams.opened) / 1000,
    disorder: streams?.countDisorder() ?? 0,
  }
}

async function reuseWatches(options: WatchStreamsOptions): Promise<WatchStreams> {
  if (keptStreams?.areOpen() === true) return keptStreams
  keptStreams?.close()
  keptStreams = undefined
  return openWatches(options)
}
