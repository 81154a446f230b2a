import { LinkedList } from '@keelson/apimachinery'
import type { QueuedRequest } from './fair-request.ts'
import type { SeatSeconds } from './seat-seconds.ts'

/** Requests of some flows: those that wait, oldest first, and those that execute. */
export class Queue {
  /** Position in the queue set. */
  index: number
  /** Progress of the queue set at which this queue gets its next turn if all queues are served at the same rate. */
  nextDispatch: SeatSeconds = 0
  /** Includes the seats that finished requests occupy during their additional latency. */
  seatsInUse = 0
  isRemoved = false
  readonly #waiting = new LinkedList<QueuedRequest>()
  readonly #executing = new LinkedList<QueuedRequest>()
  #waitingRequests = 0
  #executingRequests = 0
  #waitingInitialSeats = 0
  #waitingSeats = 0
  #waitingWork: SeatSeconds = 0

  constructor(index: number) {
    this.index = index
  }

  get waiting(): Iterable<QueuedRequest> {
    return this.#waiting
  }

  get executing(): Iterable<QueuedRequest> {
    return this.#executing
  }

  get oldest(): QueuedRequest | undefined {
    return this.#waiting.first?.value
  }

  get waitingRequests(): number {
    return this.#waitingRequests
  }

  get waitingInitialSeats(): number {
    return this.#waitingInitialSeats
  }

  get waitingSeats(): number {
    return this.#waitingSeats
  }

  get waitingWork(): SeatSeconds {
    return this.#waitingWork
  }

  /** True if requests wait or execute. Requests in their additional latency do not count. */
  get isActive(): boolean {
    return this.#waitingRequests > 0 || this.#executingRequests > 0
  }

  addWaiting(request: QueuedRequest): void {
    request.node = this.#waiting.add(request)
    this.#waitingRequests++
    this.#waitingInitialSeats += request.initialSeats
    this.#waitingSeats += request.maxSeats
    this.#waitingWork += request.totalWork
  }

  removeWaiting(request: QueuedRequest): void {
    if (request.node !== undefined) this.#waiting.remove(request.node)
    this.#waitingRequests--
    this.#waitingInitialSeats -= request.initialSeats
    this.#waitingSeats -= request.maxSeats
    this.#waitingWork -= request.totalWork
  }

  addExecuting(request: QueuedRequest): void {
    request.node = this.#executing.add(request)
    this.#executingRequests++
  }

  removeExecuting(request: QueuedRequest): void {
    if (request.node !== undefined) this.#executing.remove(request.node)
    this.#executingRequests--
  }

  /**
   * Ensures that the queue's turn does not precede the arrival of its oldest request. Otherwise a queue that cannot use its share would collect
   * an advantage over the other queues.
   */
  limitAdvantage(): void {
    const { oldest } = this
    if (oldest !== undefined && this.nextDispatch < oldest.arrivalProgress) this.nextDispatch = oldest.arrivalProgress
  }

  /** Moves the origin of the progress, so that its values stay exact. */
  rewind(by: SeatSeconds): void {
    // The value of an inactive queue may be very old. The next request replaces it.
    this.nextDispatch = this.isActive ? this.nextDispatch - by : 0
    for (const request of this.#waiting) request.arrivalProgress -= by
  }
}
