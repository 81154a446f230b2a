import { LinkedList, newBadRequest, newTimeout, parseDuration } from '@keelson/apimachinery'
import type { Exchange, Outgoing } from '@keelson/exchange'
import { writeError } from '@keelson/http-installer'
import type { RequestMetrics } from '../request-metrics.ts'
import type { Filter } from './filter.ts'
import type { ListNode } from '@keelson/apimachinery'

/** Creates the collection of request deadlines. An expired request gets 504; if its response has begun, it is aborted. */
export function createDeadlines(milliseconds: number, metrics: Pick<RequestMetrics, 'countTermination' | 'countAbort'>): RequestDeadlines {
  return new Deadlines<Exchange>(milliseconds, (exchange) => expire(exchange, metrics))
}

export type RequestDeadlines = Deadlines<Exchange>

/**
 * Creates a filter that sets the deadline of a request: the server's timeout, or the query parameter `timeout` if it is shorter. Long-
 * running requests have no deadline.
 */
export function requestDeadline(deadlines: RequestDeadlines, metrics: Pick<RequestMetrics, 'countTermination' | 'countAbort'>): Filter {
  return (exchange) => {
    if (exchange.isLongRunning) return keepWhileQuiet(exchange.outgoing)
    const timeout = exchange.query.get('timeout')
    const milliseconds = timeout ? parseTimeout(timeout) : 0
    if (typeof milliseconds === 'string') {
      const error = newBadRequest(`invalid timeout specified in the request URL - ${milliseconds}`)
      exchange.audit?.beginRefused(error.message)
      writeError(exchange, error)
      return 'answered'
    }
    const isShorter = milliseconds > 0 && milliseconds < deadlines.milliseconds
    exchange.deadline = exchange.started + (isShorter ? milliseconds : deadlines.milliseconds)
    if (isShorter) {
      const timer = setTimeout(() => expire(exchange, metrics), milliseconds)
      exchange.onEnd(() => clearTimeout(timer))
    } else {
      const deadline = deadlines.add(exchange)
      exchange.onEnd(() => deadlines.delete(deadline))
    }
  }
}

/** Parses a duration such as "10s" to milliseconds. Returns the error message if it is invalid. */
function parseTimeout(text: string): number | string {
  try {
    return Number(parseDuration(text)) / 1e6
  } catch (error) {
    return (error as Error).message
  }
}

/**
 * Answers or aborts an expired request without waiting for its handler. Otherwise a handler that never ends would count as in flight
 * forever.
 */
function expire(exchange: Exchange, metrics: Pick<RequestMetrics, 'countTermination' | 'countAbort'>): void {
  if (exchange.isOver) return
  exchange.expire()
  metrics.countTermination(exchange, 504)
  if (exchange.outgoing.headersSent) {
    metrics.countAbort(exchange)
    // Destroys the connection, because the client must not mistake a partial response for a complete one.
    exchange.outgoing.destroy()
  } else writeError(exchange, newTimeout('request did not complete within the allotted timeout', 0))
  exchange.end()
}

/** Keeps the HTTP/1.1 connection of a watch open while there are no events, and closes it if the client does not read pending events. */
function keepWhileQuiet(outgoing: Outgoing): void {
  if ('stream' in outgoing) return
  outgoing.on('timeout', () => {
    if (outgoing.writableLength > 0) outgoing.destroy()
  })
}

/** An entry whose start time comes from `performance.now()`. */
interface Started {
  readonly started: number
}
type Deadline<T> = ListNode<T>

/**
 * Deadlines of many requests with the same timeout. They expire in the order of insertion, so one timer that checks the oldest entry serves
 * all of them. This costs a request less than a timer of its own. Entries expire up to one tick late. Changes of the system clock have no
 * effect.
 */
export class Deadlines<T extends Started> {
  readonly milliseconds: number
  readonly #tick: number
  readonly #waiting = new LinkedList<T>()
  readonly #expire: (entry: T) => void
  #timer: NodeJS.Timeout | undefined

  /** Creates an empty collection. `expire` is called for each entry that is not deleted within `milliseconds` of its start. */
  constructor(milliseconds: number, expire: (entry: T) => void) {
    this.milliseconds = milliseconds
    this.#tick = Math.min(1000, Math.max(10, milliseconds / 10))
    this.#expire = expire
  }

  /** Adds an entry. Its start time must not be earlier than that of the previous entry. */
  add(entry: T): Deadline<T> {
    if (this.#timer === undefined) {
      this.#timer = setInterval(() => this.#sweep(), this.#tick)
      this.#timer.unref()
    }
    return this.#waiting.add(entry)
  }

  delete(deadline: Deadline<T>): void {
    this.#waiting.remove(deadline)
  }

  #sweep(): void {
    const latestStart = performance.now() - this.milliseconds
    for (let first = this.#waiting.first; first !== undefined && first.value.started <= latestStart; first = this.#waiting.first) {
      this.#waiting.remove(first)
      this.#expire(first.value)
    }
    if (this.#waiting.first === undefined) this.stop()
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}
