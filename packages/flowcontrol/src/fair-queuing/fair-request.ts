import type { ListNode, RequestedAction, UserInfo } from '@keelson/apimachinery'
import type { Flow } from './flow.ts'
import type { Queue } from './queue.ts'
import { multiplySeats } from './seat-seconds.ts'
import type { SeatSeconds } from './seat-seconds.ts'

/** Estimate of the work of a request. */
export interface WorkEstimate {
  /** Seats that the request occupies while the server executes it. */
  readonly initialSeats: number
  /** Seats that the request occupies afterwards, during the additional latency. It gets the larger number for the whole time. */
  readonly finalSeats: number
  /** Time in milliseconds that a finished request keeps its seats. The client does not wait for it. */
  readonly additionalLatency: number
}

/** Estimate of most requests. */
export const oneSeat: WorkEstimate = { initialSeats: 1, finalSeats: 0, additionalLatency: 0 }

/** The user and the action of a request, for the debug endpoints. */
export interface RequestDetails {
  readonly user: UserInfo
  readonly attributes: RequestedAction
}

/**
 * A request that a priority level admitted or queued.
 *
 * ```
 * waiting ──▶ executing ◀─▶ paused
 *    │            │           │
 *    ▼            └─────┬─────┘
 * cancelled             ▼
 *                    finished (its seats stay occupied during the additional latency)
 * ```
 */
export interface FairRequest {
  /** True until the request executes or is cancelled. */
  readonly isWaiting: boolean
  /** Milliseconds from the arrival of the request to the start of its execution. 0 if it has not started. */
  readonly waited: number
  /** Resolves with true when the request starts to execute, and with false when it is cancelled. Call it at most once, for a waiting request. */
  waitForDecision(): Promise<boolean>
  /** Removes a waiting request from its queue. It counts as rejected. Does nothing in other states. */
  cancel(): void
  /** Ends the execution. Does nothing if the request is not executing. */
  leave(): void
  /** Gives the seats back while the response waits for its client to read. */
  begin(): void
  /** Takes the seats again, even if that exceeds the limit, so that a request that has begun is completed. */
  end(): void
}

/** The queue set of a request, as the request sees it. */
export interface RequestOwner {
  cancel(request: QueuedRequest): void
  finish(request: QueuedRequest): void
  pause(request: QueuedRequest): void
  resume(request: QueuedRequest): void
}

export interface RequestArrival {
  /** Nanoseconds since the creation of the queue set. */
  readonly time: number
  readonly progress: SeatSeconds
  readonly queue: Queue | undefined
  readonly details: RequestDetails
}

/** Guess at the execution time of each request. It is corrected when the request finishes. */
export const estimatedNanoseconds = 3_000_000

export class QueuedRequest implements FairRequest {
  readonly flow: Flow
  readonly details: RequestDetails
  readonly owner: RequestOwner
  /** Undefined if the priority level had no queues when the request arrived. */
  queue: Queue | undefined
  /** Entry in the list of waiting, executing or paused requests. */
  node: ListNode<QueuedRequest> | undefined = undefined
  state: 'waiting' | 'executing' | 'paused' | 'finished' | 'cancelled' = 'waiting'

  readonly initialSeats: number
  finalSeats: number
  maxSeats: number
  /** In nanoseconds. */
  additionalLatency: number
  readonly finalWork: SeatSeconds
  readonly totalWork: SeatSeconds

  /** Nanoseconds since the creation of the queue set. */
  readonly arrivedAt: number
  startedAt: number
  /** Start of the execution, or of its continuation after a pause. */
  continuedAt = 0
  /** Progress of the queue set when the request arrived. */
  arrivalProgress: SeatSeconds
  #resolve: ((isExecuting: boolean) => void) | undefined = undefined

  constructor(owner: RequestOwner, flow: Flow, estimate: WorkEstimate, arrival: RequestArrival) {
    this.owner = owner
    this.flow = flow
    this.details = arrival.details
    this.queue = arrival.queue
    this.arrivedAt = this.startedAt = arrival.time
    this.arrivalProgress = arrival.progress
    this.initialSeats = estimate.initialSeats
    this.finalSeats = estimate.finalSeats
    this.maxSeats = Math.max(estimate.initialSeats, estimate.finalSeats)
    this.additionalLatency = Math.round(estimate.additionalLatency * 1e6)
    this.finalWork = this.additionalLatency === 0 ? 0 : multiplySeats(estimate.finalSeats, this.additionalLatency)
    this.totalWork = multiplySeats(estimate.initialSeats, estimatedNanoseconds) + this.finalWork
  }

  get isWaiting(): boolean {
    return this.state === 'waiting'
  }

  get waited(): number {
    return (this.startedAt - this.arrivedAt) / 1e6
  }

  waitForDecision(): Promise<boolean> {
    return this.isWaiting ? new Promise((resolve) => (this.#resolve = resolve)) : Promise.resolve(this.state === 'executing')
  }

  /** Wakes the caller of `waitForDecision`. */
  decide(isExecuting: boolean): void {
    this.#resolve?.(isExecuting)
    this.#resolve = undefined
  }

  cancel(): void {
    if (this.state === 'waiting') this.owner.cancel(this)
  }

  leave(): void {
    if (this.state === 'executing' || this.state === 'paused') this.owner.finish(this)
  }

  begin(): void {
    if (this.state === 'executing') this.owner.pause(this)
  }

  end(): void {
    if (this.state === 'paused') this.owner.resume(this)
  }
}
