import type { QueuedRequest, RequestDetails } from './fair-request.ts'
import type { Queue } from './queue.ts'
import { formatSeatSeconds } from './seat-seconds.ts'

/** State of a queue set at one moment, for the debug endpoints. */
export interface QueueSetDump {
  readonly queues: readonly QueueDump[]
  /** Requests that execute outside of the queues: at levels without queues, and those that wait for their clients. */
  readonly queuelessRequests: readonly RequestDump[]
}

export interface QueueDump {
  readonly waiting: readonly RequestDump[]
  readonly executing: readonly RequestDump[]
  readonly seatsInUse: number
  readonly nextDispatch: string
  /** Sums of the waiting requests. */
  readonly initialSeats: number
  readonly maxSeats: number
  readonly totalWork: string
}

export interface RequestDump extends RequestDetails {
  readonly schema: string
  readonly distinguisher: string
  /** Milliseconds since 1970. */
  readonly arrivedAt: number
  /** Undefined while the request waits. */
  readonly startedAt: number | undefined
  readonly initialSeats: number
  readonly finalSeats: number
  /** In milliseconds. */
  readonly additionalLatency: number
}

/** Describes a queue. `createdAt` is the time at which the queue set was created. */
export function dumpQueue(queue: Queue, createdAt: number): QueueDump {
  return {
    waiting: Array.from(queue.waiting, (request) => dumpRequest(request, createdAt)),
    executing: Array.from(queue.executing, (request) => dumpRequest(request, createdAt)),
    seatsInUse: queue.seatsInUse,
    nextDispatch: formatSeatSeconds(queue.nextDispatch),
    initialSeats: queue.waitingInitialSeats,
    maxSeats: queue.waitingSeats,
    totalWork: formatSeatSeconds(queue.waitingWork),
  }
}

export function dumpRequest(request: QueuedRequest, createdAt: number): RequestDump {
  const { flow, details } = request
  return {
    schema: flow.counters.schema,
    distinguisher: flow.distinguisher,
    arrivedAt: createdAt + request.arrivedAt / 1e6,
    startedAt: request.isWaiting ? undefined : createdAt + request.startedAt / 1e6,
    initialSeats: request.initialSeats,
    finalSeats: request.finalSeats,
    additionalLatency: request.additionalLatency / 1e6,
    user: details.user,
    attributes: details.attributes,
  }
}
