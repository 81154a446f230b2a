import { LinkedList, monotonicClock } from '@keelson/apimachinery'
import type { Clock } from '@keelson/apimachinery'
import { Dealer } from './dealer.ts'
import { dumpQueue, dumpRequest } from './dump.ts'
import type { QueueSetDump } from './dump.ts'
import { estimatedNanoseconds, QueuedRequest } from './fair-request.ts'
import type { FairRequest, RequestDetails, RequestOwner, WorkEstimate } from './fair-request.ts'
import type { Flow, FlowSchemaCounters } from './flow.ts'
import { Queue } from './queue.ts'
import { validateQueuing } from './queuing.ts'
import type { Queuing } from './queuing.ts'
import { SeatDemand } from './seat-demand.ts'
import { convertToSeconds, divideBySeats, multiplySeats } from './seat-seconds.ts'
import type { SeatSeconds } from './seat-seconds.ts'

/** Reason why a request was rejected on arrival. */
export type Rejection = 'queue-full' | 'concurrency-limit'

/** Current and total numbers of a queue set. */
export interface QueueSetCounts {
  readonly waitingRequests: number
  readonly executingRequests: number
  /** Includes the seats that finished requests occupy during their additional latency. */
  readonly seatsInUse: number
  readonly waitingSeats: number
  readonly dispatched: number
  /** Includes cancelled requests. */
  readonly rejected: number
  readonly cancelled: number
}

/** State of the fair queuing in seat-seconds, for metrics. The members after `progress` are of the last dispatch from a queue. */
export interface VirtualTimeReadings {
  /** Seat-seconds that each active queue could have used so far. Goes back from time to time: see `rewinds`. */
  readonly progress: number
  readonly dispatchProgress: number
  /** Turn of the queue of the dispatched request, and the range of the turns of all queues with waiting requests. */
  readonly dispatchTurn: number
  readonly minTurn: number
  readonly maxTurn: number
  /** The same range, minus the estimated remaining work of the executing requests. */
  readonly minDiscountedTurn: number
  readonly maxDiscountedTurn: number
  /** Number of times that the progress went back. */
  readonly rewinds: number
}

/** Receives measurements. Calls are synchronous. They must not throw, and must not call the queue set. Times are in milliseconds. */
export interface QueueSetObserver {
  /** Called with the length of the queue after a request joined it, also if the request executes at once. */
  recordQueueLength?(flow: FlowSchemaCounters, queueLength: number): void
  /** Called when a request of a level that is not exempt executes or is rejected. */
  recordWait?(flow: FlowSchemaCounters, milliseconds: number, isExecuted: boolean): void
  /** Called when a request finishes. Its time includes pauses. */
  recordExecution?(flow: FlowSchemaCounters, milliseconds: number, details: RequestDetails): void
  /** Called after each change of the counts. `now` is the reading of the clock. */
  recordCounts?(now: number, counts: QueueSetCounts): void
  /** Called when the last request leaves. */
  handleIdle?(): void
}

export interface QueueSetOptions {
  /** Name of the priority level. */
  readonly name: string
  readonly queuing: Queuing
  /** Number of seats that executing requests may occupy. One request may exceed it if it executes alone. */
  readonly seats: number
  /** Clock with a resolution better than a millisecond. Default: `monotonicClock`. */
  readonly clock?: Clock
  readonly observer?: QueueSetObserver
}

/** The requests of one priority level. */
export interface QueueSet {
  readonly name: string
  readonly seats: number
  readonly counts: QueueSetCounts
  readonly readings: VirtualTimeReadings
  readonly demand: SeatDemand
  /** True if no request waits or executes. */
  readonly isIdle: boolean
  /**
   * Admits, queues or rejects a request. A request that executes at once needs no promise and no timer. The caller must call `leave` of an
   * executing request once it has finished.
   */
  start(flow: Flow, estimate: WorkEstimate, details: RequestDetails): FairRequest | Rejection
  /**
   * Replaces the queuing and the number of seats. Waiting requests stay in their queues. A queue in excess of the new number
   * gets no more requests, and is removed when its last request leaves. Throws if `validateQueuing` returns a message.
   */
  configure(queuing: Queuing, seats: number): void
  dump(): QueueSetDump
}

/** Creates the queue set of a priority level. Throws if `validateQueuing` returns a message. */
export function createQueueSet(options: QueueSetOptions): QueueSet {
  return new FairQueueSet(options)
}

/** Maximum number of queues. Each dispatch looks at all of them, and a PriorityLevelConfiguration may ask for ten million. */
const maxQueues = 10_000

/** Progress above which all progress values are reduced. Doubles are exact up to twice this value. */
const maxProgress: SeatSeconds = 2 ** 52
const rewoundProgress: SeatSeconds = 2 ** 50

/**
 * Fair queuing by virtual time, as in kube-apiserver's package queueset. The progress is the work that each active queue could have used if the
 * seats had been divided equally among the active queues. Each queue has a turn: the progress at which its next request would begin in that
 * ideal world. The queue whose next request would end first in the ideal world is served next. A dispatched request advances the turn of its
 * queue by its estimated work. When it finishes, the turn is corrected by the difference to its real work.
 */
class FairQueueSet implements QueueSet, RequestOwner {
  readonly name: string
  readonly demand: SeatDemand
  readonly #clock: Clock
  readonly #observer: QueueSetObserver
  #queuing: Queuing = { type: 'reject' }
  #seats = 0
  #queueLengthLimit = 0
  /** Undefined while the queuing has no queues. */
  #dealer: Dealer | undefined
  /** May be more than the queuing says: see `configure`. An excess queue that is empty already stays. */
  #queues: Queue[] = []
  readonly #queueless = new LinkedList<QueuedRequest>()
  #progress: SeatSeconds = 0
  /** Reading of the clock at the creation. Times are nanoseconds since then, which doubles represent exactly for 104 days. */
  readonly #createdAt: number
  /** Time at which the progress was updated. */
  #updatedAt = 0
  /** Index of the queue that was served last. */
  #lastServed = 0
  #enqueued = 0
  #pausedRequests = 0
  #activeQueues = 0
  /** Seats in use by requests of the present queues. */
  #queueSeatsInUse = 0
  readonly #counts = { waitingRequests: 0, executingRequests: 0, seatsInUse: 0, waitingSeats: 0, dispatched: 0, rejected: 0, cancelled: 0 }
  readonly #lastDispatch = { progress: 0, turn: 0, minTurn: 0, maxTurn: 0, minDiscounted: 0, maxDiscounted: 0 }
  #rewinds = 0

  constructor({ name, queuing, seats, clock = monotonicClock, observer = {} }: QueueSetOptions) {
    this.name = name
    this.#clock = clock
    this.#observer = observer
    this.#createdAt = clock.now()
    this.demand = new SeatDemand(clock.now)
    this.configure(queuing, seats)
  }

  get seats(): number {
    return this.#seats
  }

  get counts(): QueueSetCounts {
    return this.#counts
  }

  get isIdle(): boolean {
    return this.#counts.waitingRequests === 0 && this.#counts.executingRequests === 0
  }

  get readings(): VirtualTimeReadings {
    const last = this.#lastDispatch
    return {
      progress: convertToSeconds(this.#progress),
      dispatchProgress: convertToSeconds(last.progress),
      dispatchTurn: convertToSeconds(last.turn),
      minTurn: convertToSeconds(last.minTurn),
      maxTurn: convertToSeconds(last.maxTurn),
      minDiscountedTurn: convertToSeconds(last.minDiscounted),
      maxDiscountedTurn: convertToSeconds(last.maxDiscounted),
      rewinds: this.#rewinds,
    }
  }

  configure(queuing: Queuing, seats: number): void {
    const problem = validateQueuing(queuing)
    if (problem !== undefined) throw new Error(`priority level ${this.name}: ${problem}`)
    this.#updateProgress()
    if (queuing.type === 'queue') {
      const { handSize } = queuing
      const queues = Math.min(queuing.queues, maxQueues)
      while (this.#queues.length < queues) this.#queues.push(new Queue(this.#queues.length))
      this.#queueLengthLimit = queuing.queueLengthLimit
      // Flows remember the hand of their dealer, so an unchanged dealer is kept.
      const isUnchanged = this.#dealer?.deckSize === queues && this.#dealer.handSize === handSize
      if (!isUnchanged) this.#dealer = new Dealer(queues, handSize)
    } else this.#dealer = undefined
    this.#queuing = queuing
    this.#seats = seats
    this.#dispatchWaiting()
    this.#reportCounts()
  }

  start(flow: Flow, estimate: WorkEstimate, details: RequestDetails): FairRequest | Rejection {
    const time = this.#updateProgress()
    const queue = this.#dealer && this.#chooseQueue(flow, this.#dealer)
    const request = new QueuedRequest(this, flow, estimate, { time, progress: this.#progress, queue, details })
    const counts = this.#counts
    if (queue === undefined) {
      if (!this.#mayExecute(request.maxSeats)) return this.#reject(flow, 'concurrency-limit')
      this.#execute(request, time)
      request.node = this.#queueless.add(request)
      this.#reportCounts()
      return request
    }
    if (counts.seatsInUse >= this.#seats && queue.waitingRequests >= this.#queueLengthLimit) return this.#reject(flow, 'queue-full')
    if (!queue.isActive) queue.nextDispatch = this.#progress
    this.#observer.recordQueueLength?.(flow.counters, queue.waitingRequests + 1)
    if (counts.waitingRequests === 0 && counts.seatsInUse < this.#seats && this.#mayExecute(request.maxSeats)) {
      // The result is the same as with the steps below, because the only waiting request is the next one.
      if (queue.nextDispatch < this.#progress) queue.nextDispatch = this.#progress
      this.#noteDispatch(queue.nextDispatch, queue)
      this.#executeFromQueue(request, queue, time)
    } else {
      this.#enqueue(request, queue)
      queue.limitAdvantage()
      this.#dispatchWaiting()
    }
    this.#reportCounts()
    return request
  }

  cancel(request: QueuedRequest): void {
    const { queue } = request
    if (queue === undefined) return
    const time = this.#updateProgress()
    this.#leaveQueue(request, queue)
    queue.limitAdvantage()
    request.state = 'cancelled'
    this.#counts.rejected++
    this.#counts.cancelled++
    request.flow.counters.rejected['time-out']++
    this.#observer.recordWait?.(request.flow.counters, (time - request.arrivedAt) / 1e6, false)
    this.#reportCounts()
    request.decide(false)
    this.#reportIdle()
  }

  finish(request: QueuedRequest): void {
    if (request.state === 'paused') this.resume(request)
    const time = this.#updateProgress()
    request.state = 'finished'
    this.#counts.executingRequests--
    request.flow.counters.executingRequests--
    this.#observer.recordExecution?.(request.flow.counters, (time - request.startedAt) / 1e6, request.details)
    this.#endWork(request, time)
    if (request.additionalLatency > 0) this.#clock.after(request.additionalLatency / 1e6, () => this.#endAdditionalLatency(request))
    else this.#releaseSeats(request)
    this.#dispatchWaiting()
    this.#reportCounts()
    this.#reportIdle()
  }

  pause(request: QueuedRequest): void {
    const time = this.#updateProgress()
    this.#endWork(request, time)
    request.state = 'paused'
    this.#pausedRequests++
    request.node = this.#queueless.add(request)
    this.#releaseSeats(request)
    this.#dispatchWaiting()
    this.#reportCounts()
  }

  resume(request: QueuedRequest): void {
    const time = this.#updateProgress()
    if (request.node !== undefined) this.#queueless.remove(request.node)
    request.state = 'executing'
    request.continuedAt = time
    this.#pausedRequests--
    this.#occupySeats(request)
    if (request.queue?.isRemoved) request.queue = undefined
    const { queue } = request
    if (queue === undefined) request.node = this.#queueless.add(request)
    else {
      if (!queue.isActive) queue.nextDispatch = this.#progress
      this.#occupyQueue(request, queue)
      queue.nextDispatch += multiplySeats(request.initialSeats, estimatedNanoseconds)
    }
    this.#reportCounts()
  }

  dump(): QueueSetDump {
    const createdAt = this.#createdAt
    return {
      queues: this.#queues.map((queue) => dumpQueue(queue, createdAt)),
      queuelessRequests: Array.from(this.#queueless, (request) => dumpRequest(request, createdAt)),
    }
  }

  #readTime(): number {
    return Math.round((this.#clock.now() - this.#createdAt) * 1e6)
  }

  /** Returns the time. Must be called before each change, because the progress depends on the state since the last change. */
  #updateProgress(): number {
    const time = this.#readTime()
    const elapsed = time - this.#updatedAt
    this.#updatedAt = time
    if (this.#activeQueues === 0) return time
    const usableSeats = Math.min(this.#queueSeatsInUse + this.#counts.waitingSeats, this.#seats)
    this.#progress += multiplySeats(usableSeats / this.#activeQueues, elapsed)
    if (this.#progress >= maxProgress) this.#rewind()
    return time
  }

  #rewind(): void {
    const by = this.#progress - rewoundProgress
    this.#progress = rewoundProgress
    for (const queue of this.#queues) queue.rewind(by)
    this.#rewinds++
  }

  #reject(flow: Flow, reason: Rejection): Rejection {
    this.#counts.rejected++
    flow.counters.rejected[reason]++
    this.#observer.recordWait?.(flow.counters, 0, false)
    return reason
  }

  #chooseQueue(flow: Flow, dealer: Dealer): Queue {
    const hand = flow.findHand(dealer)
    // Flows whose hands overlap would otherwise prefer the same queue.
    const offset = this.#enqueued++ % hand.length
    // No queue has waiting work, so the first one has the least.
    if (this.#counts.waitingRequests === 0) return this.#queues[hand[offset] as number] as Queue
    let chosen: Queue | undefined
    for (let position = 0; position < hand.length; position++) {
      const queue = this.#queues[hand[(offset + position) % hand.length] as number] as Queue
      if (chosen === undefined || queue.waitingWork < chosen.waitingWork) chosen = queue
    }
    return chosen as Queue
  }

  #mayExecute(seats: number): boolean {
    if (this.#queuing.type === 'exempt') return true
    // A request that is wider than the level executes alone.
    if (seats > this.#seats) return this.#counts.executingRequests === this.#pausedRequests
    return this.#counts.seatsInUse + seats <= this.#seats
  }

  #enqueue(request: QueuedRequest, queue: Queue): void {
    const wasActive = queue.isActive
    queue.addWaiting(request)
    if (!wasActive) this.#activeQueues++
    this.#counts.waitingRequests++
    this.#counts.waitingSeats += request.maxSeats
    request.flow.counters.waitingRequests++
    request.flow.counters.waitingSeats += request.maxSeats
  }

  #leaveQueue(request: QueuedRequest, queue: Queue): void {
    queue.removeWaiting(request)
    if (!queue.isActive) this.#activeQueues--
    this.#counts.waitingRequests--
    this.#counts.waitingSeats -= request.maxSeats
    request.flow.counters.waitingRequests--
    request.flow.counters.waitingSeats -= request.maxSeats
  }

  #dispatchWaiting(): void {
    while (this.#counts.waitingRequests > 0 && this.#counts.seatsInUse < this.#seats) {
      const queue = this.#findNextQueue()
      const request = queue?.oldest
      if (queue === undefined || request === undefined) return
      this.#leaveQueue(request, queue)
      this.#executeFromQueue(request, queue, this.#updatedAt)
      queue.limitAdvantage()
      request.decide(true)
    }
  }

  /** Finds the queue whose oldest request would end first in the ideal world. Returns undefined if there are not enough free seats for it. */
  #findNextQueue(): Queue | undefined {
    let [minEnd, minTurn, maxTurn, minDiscounted, maxDiscounted] = [Infinity, Infinity, -Infinity, Infinity, -Infinity]
    let next: Queue | undefined
    let index = this.#lastServed
    for (let visited = 0; visited < this.#queues.length; visited++) {
      index = (index + 1) % this.#queues.length
      const queue = this.#queues[index] as Queue
      const { oldest } = queue
      if (oldest === undefined) continue
      const turn = queue.nextDispatch
      const discounted = turn - multiplySeats(queue.seatsInUse, estimatedNanoseconds)
      if (turn < minTurn) minTurn = turn
      if (turn > maxTurn) maxTurn = turn
      if (discounted < minDiscounted) minDiscounted = discounted
      if (discounted > maxDiscounted) maxDiscounted = discounted
      const end = turn + oldest.totalWork
      if (end < minEnd) {
        minEnd = end
        next = queue
      }
    }
    const request = next?.oldest
    if (next === undefined || request === undefined) return undefined
    if (!this.#mayExecute(request.maxSeats)) {
      request.flow.counters.unaccommodated++
      return undefined
    }
    // The next search begins after this queue, so that other queues win if their requests would end at the same time.
    this.#lastServed = next.index
    const last = this.#lastDispatch
    last.progress = this.#progress
    last.turn = next.nextDispatch
    last.minTurn = minTurn
    last.maxTurn = maxTurn
    last.minDiscounted = minDiscounted
    last.maxDiscounted = maxDiscounted
    return next
  }

  /** Notes the dispatch of a request that does not have to wait. */
  #noteDispatch(turn: SeatSeconds, queue: Queue): void {
    this.#lastServed = queue.index
    const last = this.#lastDispatch
    last.progress = this.#progress
    last.turn = last.minTurn = last.maxTurn = turn
    last.minDiscounted = last.maxDiscounted = turn - multiplySeats(queue.seatsInUse, estimatedNanoseconds)
  }

  /** Limits the final seats to those of the level. The additional latency grows, so that the work stays the same. */
  #limitFinalSeats(request: QueuedRequest): void {
    if (request.finalSeats <= this.#seats) return
    request.finalSeats = this.#seats
    request.additionalLatency = divideBySeats(request.finalWork, this.#seats)
    request.maxSeats = Math.max(request.initialSeats, request.finalSeats)
  }

  #executeFromQueue(request: QueuedRequest, queue: Queue, time: number): void {
    this.#limitFinalSeats(request)
    this.#execute(request, time)
    this.#occupyQueue(request, queue)
    queue.nextDispatch += request.totalWork
  }

  #occupyQueue(request: QueuedRequest, queue: Queue): void {
    if (!queue.isActive) this.#activeQueues++
    queue.addExecuting(request)
    queue.seatsInUse += request.maxSeats
    this.#queueSeatsInUse += request.maxSeats
  }

  #execute(request: QueuedRequest, time: number): void {
    request.state = 'executing'
    request.startedAt = request.continuedAt = time
    const { counters } = request.flow
    this.#counts.executingRequests++
    this.#counts.dispatched++
    counters.executingRequests++
    counters.dispatched++
    this.#occupySeats(request)
    if (this.#queuing.type !== 'exempt') this.#observer.recordWait?.(counters, request.waited, true)
  }

  #occupySeats(request: QueuedRequest): void {
    this.#counts.seatsInUse += request.maxSeats
    request.flow.counters.seatsInUse += request.maxSeats
  }

  #releaseSeats(request: QueuedRequest): void {
    this.#counts.seatsInUse -= request.maxSeats
    request.flow.counters.seatsInUse -= request.maxSeats
    const { queue } = request
    if (queue === undefined || queue.isRemoved) return
    queue.seatsInUse -= request.maxSeats
    this.#queueSeatsInUse -= request.maxSeats
    this.#removeExcessQueue(queue)
  }

  #removeExcessQueue(queue: Queue): void {
    if (queue.isActive || this.#queues.length <= (this.#dealer?.deckSize ?? 0)) return
    this.#queues.splice(queue.index, 1)
    for (let index = queue.index; index < this.#queues.length; index++) (this.#queues[index] as Queue).index = index
    queue.isRemoved = true
    this.#queueSeatsInUse -= queue.seatsInUse
    if (this.#lastServed >= queue.index) this.#lastServed--
  }

  /** Takes the request from the executing ones, and corrects the turn of its queue by its real work. */
  #endWork(request: QueuedRequest, time: number): void {
    const { queue } = request
    if (queue === undefined) {
      if (request.node !== undefined) this.#queueless.remove(request.node)
      return
    }
    queue.removeExecuting(request)
    if (!queue.isActive) this.#activeQueues--
    queue.nextDispatch -= multiplySeats(request.initialSeats, estimatedNanoseconds - (time - request.continuedAt))
    queue.limitAdvantage()
  }

  #endAdditionalLatency(request: QueuedRequest): void {
    this.#updateProgress()
    this.#releaseSeats(request)
    this.#dispatchWaiting()
    this.#reportCounts()
  }

  #reportCounts(): void {
    const now = this.#createdAt + this.#updatedAt / 1e6
    this.demand.set(this.#counts.seatsInUse + this.#counts.waitingSeats, now)
    this.#observer.recordCounts?.(now, this.#counts)
  }

  #reportIdle(): void {
    if (this.isIdle) this.#observer.handleIdle?.()
  }
}
