import { newBadRequest, newTimeout, parseDuration } from '@keelson/apimachinery'
import type { Exchange, Outgoing } from '@keelson/exchange'
import { writeError } from '@keelson/http-installer'
import type { RequestMetrics } from '../request-metrics.ts'
import type { Filter } from './filter.ts'
import { LinkedList } from '../linked-list.ts'
import type { ListNode } from '../linked-list.ts'

/** Creates the deadlines of a server's requests. An expired request is answered with 504, or aborted if its response has begun. */
export function createDeadlines(milliseconds: number, metrics: Pick<RequestMetrics, 'terminated' | 'aborted'>): RequestDeadlines {
  return new Deadlines<Exchange>(milliseconds, (exchange) => expire(exchange, metrics))
}

export type RequestDeadlines = Deadlines<Exchange>

/** Sets each request's deadline: the server's, or an earlier one from the query parameter `timeout`. Long-running requests have none. */
export function requestDeadline(deadlines: RequestDeadlines, metrics: Pick<RequestMetrics, 'terminated' | 'aborted'>): Filter {
  return (exchange) => {
    if (exchange.isLongRunning) return keepWhileQuiet(exchange.outgoing)
    const timeout = exchange.query.get('timeout')
    const milliseconds = timeout ? parseTimeout(timeout) : 0
    if (typeof milliseconds === 'string') {
      writeError(exchange, newBadRequest(`invalid timeout specified in the request URL - ${milliseconds}`))
      return 'answered'
    }
    if (milliseconds > 0 && milliseconds < deadlines.milliseconds) {
      const timer = setTimeout(() => expire(exchange, metrics), milliseconds)
      exchange.onEnd(() => clearTimeout(timer))
    } else {
      const deadline = deadlines.add(exchange)
      exchange.onEnd(() => deadlines.delete(deadline))
    }
  }
}

/** Returns "10s" in milliseconds, or the message of the parse error. */
function parseTimeout(text: string): number | string {
  try {
    return Number(parseDuration(text)) / 1e6
  } catch (error) {
    return (error as Error).message
  }
}

/** Ends an expired request without waiting for its handler. Otherwise a handler that never ends would count as in flight forever. */
function expire(exchange: Exchange, metrics: Pick<RequestMetrics, 'terminated' | 'aborted'>): void {
  if (exchange.isOver) return
  exchange.expire()
  metrics.terminated(exchange, 504)
  if (exchange.outgoing.headersSent) {
    metrics.aborted(exchange)
    // Break the connection, because the client must not take a partial response for a complete one.
    exchange.outgoing.destroy()
  } else writeError(exchange, newTimeout('request did not complete within the allotted timeout', 0))
  exchange.end()
}

/** Keeps an HTTP/1.1 connection open while nothing is sent, because a watch may be idle for long. Closes it if events wait to be read. */
function keepWhileQuiet(outgoing: Outgoing): void {
  if ('stream' in outgoing) return
  outgoing.on('timeout', () => {
    if (outgoing.writableLength > 0) outgoing.destroy()
  })
}

/** An entry with a start time of `performance.now()`. */
interface Started {
  readonly started: number
}
type Deadline<T> = ListNode<T>

/**
 * The common deadline of many requests. All have the same timeout, so they expire in the order of insertion: one timer checks the oldest, and a request costs
 * an insertion and a removal instead of a timer of its own. Entries expire up to one tick late. Changes of the system clock have no effect.
 */
export class Deadlines<T extends Started> {
  readonly milliseconds: number
  readonly #tick: number
  readonly #waiting = new LinkedList<T>()
  readonly #expire: (entry: T) => void
  #timer: NodeJS.Timeout | undefined

  /** `expire` is called for each entry that is not deleted within `milliseconds` of its start. */
  constructor(milliseconds: number, expire: (entry: T) => void) {
    this.milliseconds = milliseconds
    this.#tick = Math.min(1000, Math.max(10, milliseconds / 10))
    this.#expire = expire
  }

  /** Adds an entry. Its `started` must not be earlier than that of the previous entry. */
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
    const due = performance.now() - this.milliseconds
    for (let first = this.#waiting.first; first !== undefined && first.value.started <= due; first = this.#waiting.first) {
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
