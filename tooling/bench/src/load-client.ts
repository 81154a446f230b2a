import { text } from 'node:stream/consumers'
import { openHttp2 } from './http2-connection.ts'
import { openHttp1 } from './load-connection.ts'
import type { ConnectionOptions, LoadConnection } from './load-connection.ts'
import type { LoadJob, LoadResult } from './load-job.ts'
import { closedLoop, openLoop } from './load-loops.ts'
import { mixedMaker } from './request-maker.ts'
import { openWatches } from './watch-streams.ts'

/** Run as a process of its own, so that its processor time can be told from the server's. */
const job = JSON.parse(await text(process.stdin)) as LoadJob
process.stdout.write(`${JSON.stringify(await run(job))}\n`)
process.exit(0)

async function run(load: LoadJob): Promise<LoadResult> {
  const { url, token, watch } = load
  const watches = watch === undefined ? undefined : await openWatches({ url, token, ...watch })
  const next = mixedMaker([{ request: load.request, times: 1 }, ...(load.between ?? [])])
  const loop = (load.rate === undefined ? closedLoop : openLoop)(load, next)
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

  const bytesRead = (): number => connections.reduce((sum, connection) => sum + connection.bytesRead(), 0)
  const bytesBefore = bytesRead()
  const cpuBefore = process.cpuUsage()
  const began = performance.now()
  const { latencies, failures, firstFailure } = await loop.run(connections)
  const seconds = (performance.now() - began) / 1000
  await watches?.settled()
  const cpu = process.cpuUsage(cpuBefore)
  latencies.sort((a, b) => a - b)
  const at = (share: number): number => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? 0
  return {
    requests: latencies.length,
    failures,
    firstFailure,
    seconds,
    cpuSeconds: (cpu.user + cpu.system) / 1e6,
    bytes: bytesRead() - bytesBefore + (watches?.bytes() ?? 0),
    p50: at(0.5),
    p99: at(0.99),
    events: watches?.events() ?? 0,
    eventSeconds: Math.max(seconds, ((watches?.lastEvent() ?? 0) - began) / 1000),
    watchSeconds: watches === undefined ? 0 : (watches.lastEvent() - watches.opened) / 1000,
    disorder: watches?.disorder() ?? 0,
  }
}
