import { HttpsClient } from '@keelson/tooling-e2e/https-client'
import { findPercentile } from '../load/percentile.ts'
import { threadTimeHeader } from './flooded-server.ts'
import type { FloodedServer, FloodUser } from './flooded-server.ts'

export interface SteadyRequests {
  readonly user: FloodUser
  readonly rate: number
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: (number: number) => unknown
}

export interface SteadyOutcome {
  readonly requests: number
  /** Requests without a response of status 2xx, by status or error. */
  readonly failures: Readonly<Record<string, number>>
  /** 99th percentile and maximum of the latencies in milliseconds. */
  readonly p99: number
  readonly max: number
  /**
   * 99th percentile of the processor time of the server's thread from sending a request to the headers of its response. The server reads the
   * time of the response itself, so a client that waits for a processor has no influence on it.
   */
  readonly processorP99: number | undefined
}

/** Number of connections that the client opens before the first request. Handshakes would take longer than requests. */
const openConnections = 64

/** Sends requests at fixed times, independent of the responses, and measures how long they take. */
export async function sendSteadily(
  { url, threadMilliseconds }: FloodedServer,
  seconds: number,
  { user, rate, method, path, headers, body }: SteadyRequests,
): Promise<SteadyOutcome> {
  using client = new HttpsClient(url, user, 256)
  await Promise.all(Array.from({ length: openConnections }, () => client.request('GET', '/livez').catch(() => undefined)))
  const latencies: number[] = []
  const processorTimes: number[] = []
  let unknownTimes = 0
  const failures: Record<string, number> = {}
  const send = async (number: number): Promise<void> => {
    const start = performance.now()
    const processorStart = threadMilliseconds?.() ?? 0
    const options = { ...(headers !== undefined && { headers }), ...(body !== undefined && { body: body(number) }) }
    const { status, headers: answered } = await client
      .request(method, path, options)
      .catch((error: NodeJS.ErrnoException) => ({ status: error.code ?? error.message, headers: {} as Record<string, undefined> }))
    latencies.push(performance.now() - start)
    const processorEnd = answered[threadTimeHeader]
    if (processorEnd !== undefined) processorTimes.push(Number(processorEnd) - processorStart)
    else if (typeof status === 'number') unknownTimes++
    if (typeof status !== 'number' || status >= 300) failures[status] = (failures[status] ?? 0) + 1
  }
  const count = Math.round(seconds * rate)
  const pending: Promise<void>[] = []
  const start = performance.now()
  for (let number = 0; number < count; number++) {
    const due = start + (number * 1000) / rate
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())))
    pending.push(send(number))
  }
  await Promise.all(pending)
  if (threadMilliseconds !== undefined && unknownTimes > 0)
    throw new Error(`${unknownTimes} responses to ${method} ${path} have no header ${threadTimeHeader}, so their processor time is unknown`)
  return {
    requests: count,
    failures,
    p99: findPercentile(latencies, 0.99),
    max: findPercentile(latencies, 1),
    processorP99: threadMilliseconds === undefined ? undefined : findPercentile(processorTimes, 0.99),
  }
}
