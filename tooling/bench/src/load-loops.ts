import type { LoadConnection } from './load-connection.ts'
import type { LoadJob } from './load-job.ts'
import type { MadeRequest } from './request-maker.ts'

export interface LoopResult {
  /** Latencies in milliseconds, in the order of the responses. */
  readonly latencies: number[]
  readonly failures: number
  readonly firstFailure: number
}

export interface Loop {
  /** Records a response. The client must call this for each response, with the number of the connection. */
  onAnswer(connection: number, status: number, since: number): void
  fail(reason: Error): void
  /** Sends the requests. Resolves when all requests have a response. */
  run(connections: readonly LoadConnection[]): Promise<LoopResult>
}

type OpenLoop = (load: Pick<LoadJob, 'pipeline' | 'seconds' | 'count' | 'rate'>, next: () => MadeRequest) => Loop

/** Creates a loop that keeps a fixed number of requests pending: each response triggers the next request. */
export const openClosedLoop: OpenLoop = ({ pipeline, seconds, count = Infinity }, next) =>
  createLoop((connections, done) => {
    const until = performance.now() + seconds * 1000
    let remaining = count
    let under = 0
    const send = (connection: number): void => {
      const now = performance.now()
      if (remaining > 0 && now < until) {
        remaining--
        under++
        connections[connection]!.send(next(), now)
      } else if (under === 0) done()
    }
    for (let i = 0; i < pipeline; i++) connections.forEach((_, connection) => send(connection))
    return (connection) => {
      under--
      send(connection)
    }
  })

/**
 * Creates a loop that sends each request at its scheduled time, independent of responses. If no connection is free, the request waits, and
 * the wait is part of its latency.
 */
export const openLoop: OpenLoop = ({ pipeline, seconds, rate = 1 }, next) =>
  createLoop((connections, done) => {
    const requestCount = Math.max(1, Math.floor(rate * seconds))
    const began = performance.now()
    const free = Array.from({ length: pipeline }, () => connections.map((_, i) => i)).flat()
    /** Scheduled times of requests that are not sent yet. */
    const waiting: number[] = []
    let due = 0
    let answered = 0
    const look = (): void => {
      for (; due < requestCount && began + (due * 1000) / rate <= performance.now(); due++) waiting.push(began + (due * 1000) / rate)
      while (waiting.length > 0 && free.length > 0) connections[free.shift()!]!.send(next(), waiting.shift()!)
      if (due < requestCount) setTimeout(look, 1)
    }
    look()
    return (connection) => {
      if (++answered === requestCount) done()
      else if (waiting.length > 0) connections[connection]!.send(next(), waiting.shift()!)
      else free.push(connection)
    }
  })

function createLoop(start: (connections: readonly LoadConnection[], done: () => void) => (connection: number) => void): Loop {
  const result = { latencies: [] as number[], failures: 0, firstFailure: 0 }
  let handleAnswer: (connection: number) => void = () => {}
  let fail: (reason: Error) => void = () => {}
  return {
    onAnswer(connection, status, since) {
      result.latencies.push(performance.now() - since)
      if (status >= 300) {
        result.failures++
        result.firstFailure ||= status
      }
      handleAnswer(connection)
    },
    fail: (reason) => fail(reason),
    run: (connections) =>
      new Promise((resolve, reject) => {
        fail = reject
        handleAnswer = start(connections, () => resolve(result))
      }),
  }
}
