import { newBadRequest, newTimeout, parseDuration } from '@keelson/apimachinery'
import type { Exchange, Outgoing } from '@keelson/exchange'
import { writeError } from '@keelson/http-installer'
import type { RequestMetrics } from '../request-metrics.ts'
import type { Filter } from './filter.ts'
import { LinkedList } from '../linked-list.ts'
import type { ListNode } from '../linked-list.ts'

/** The deadlines of a server's requests. A request that expires is answered 504, or its connection breaks if a response has begun. */
export function createDeadlines(milliseconds: number, metrics: Pick<RequestMetrics, 'terminated' | 'aborted'>): RequestDeadlines {
  return new Deadlines<Exchange>(milliseconds, (exchange) => expire(exchange, metrics))
}

export type RequestDeadlines = Deadlines<Exchange>

/** Gives each request its deadline: the server's, or an earlier one from the query parameter `timeout`. Long-running requests have none. */
export function requestDeadline(deadlines: RequestDeadlines, metrics: Pick<RequestMetrics, 'terminated' | 'aborted'>): Filter {
  return (exchange) => {
    if (exchange.isLongRunning) return keepWhileQuiet(exchange.outgoing)
    const asked = exchange.query.get('timeout')
    const milliseconds = asked ? parseTimeout(asked) : 0
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

/** "10s" in milliseconds, or what is wrong with it. */
function parseTimeout(text: string): number | string {
  try {
    return Number(parseDuration(text)) / 1e6
  } catch (error) {
    return (error as Error).message
  }
}

/** The handler is not waited for any longer, so that one that never ends does not count as running for ever. */
function expire(exchange: Exchange, metrics: Pick<RequestMetrics, 'terminated' | 'aborted'>): void {
  if (exchange.isOver) return
  exchange.expire()
  metrics.terminated(exchange, 504)
  if (exchange.outgoing.headersSent) {
    metrics.aborted(exchange)
    // A broken connection, because the client must not take half a response for a whole one.
    exchange.outgoing.destroy()
  } else writeError(exchange, newTimeout('request did not complete within the allotted timeout', 0))
  exchange.end()
}

/** Keeps an HTTP/1.1 connection open while nothing is sent: a watch may be quiet for long. It is closed if events wait to be read. */
function keepWhileQuiet(outgoing: Outgoing): void {
  if ('stream' in outgoing) return
  outgoing.on('timeout', () => {
    if (outgoing.writableLength > 0) outgoing.destroy()
  })
}

/** Anything with a start time by the clock of its `Deadlines`. */
interface Started {
  readonly started: number
}
type Deadline<T> = ListNode<T>

/**
 * The usual deadline of many requests. All wait equally long, so they expire in the order in which they were added: one timer looks at the oldest, and a request costs
 * an insertion and a removal instead of a timer of its own. Late by at most one tick. Setting the system's clock changes nothing.
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

  /** `entry.started` is a time of `performance.now()`, no earlier than that of the entry before. */
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
