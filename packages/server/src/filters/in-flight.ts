import { mastersGroup, newTooManyRequests } from '@keelson/apimachinery'
import type { RequestInfo, UserInfo } from '@keelson/apimachinery'
import type { Value } from '@keelson/apimachinery/metrics'
import type { ClientWait, Exchange } from '@keelson/exchange'
import { writeError } from '@keelson/http-installer'
import type { RequestMetrics } from '../request-metrics.ts'
import type { Filter, FilterOutcome } from './filter.ts'

const readOnlyVerbs = new Set(['get', 'list', 'watch'])
const probePaths = new Set(['/healthz', '/livez', '/readyz'])

export interface InFlightLimits {
  /** Maximum number of concurrent read requests. 0 means no limit, as for writes. */
  readonly readOnly: number
  readonly mutating: number
}

export type InFlightKind = 'readOnly' | 'mutating'

/** Permission for one request to run. Call `leave` once, when the request has ended. After that, `begin` and `end` do nothing. */
export interface Ticket extends ClientWait {
  leave(): void
}

/** Limit of concurrent requests. An implementation that queues requests returns promises. */
export interface InFlightLimit {
  /** Returns a ticket if the request may run. Returns undefined if too many requests of its kind run. */
  admit(info: RequestInfo, user: UserInfo): Ticket | undefined | Promise<Ticket | undefined>
}

/** Creates a filter that answers 429 if the limit does not admit a request. Long-running requests are not limited. */
export function limitInFlight(limit: InFlightLimit, metrics: Pick<RequestMetrics, 'dropped'>): Filter {
  const enter = (exchange: Exchange, ticket: Ticket | undefined): FilterOutcome => {
    if (ticket === undefined) {
      metrics.dropped(exchange)
      exchange.outgoing.setHeader('Retry-After', '1')
      writeError(exchange, newTooManyRequests('Too many requests, please try again later.', 1))
      return 'answered'
    }
    exchange.clientWait = ticket
    exchange.onEnd(() => ticket.leave())
  }
  return (exchange) => {
    if (exchange.isLongRunning) return
    const ticket = limit.admit(exchange.info, exchange.user)
    return ticket instanceof Promise ? ticket.then((late) => enter(exchange, late)) : enter(exchange, ticket)
  }
}

/**
 * Creates a limit of concurrent requests. Health checks and members of `system:masters` are not limited, like requests of kube-apiserver's
 * priority level `exempt`. A response does not count while it waits for its client to read, so slow readers do not block other clients.
 * `current` counts all requests in flight, including exempt ones.
 */
export function createInFlightLimit(limits: InFlightLimits, current: Readonly<Record<InFlightKind, Value>>): InFlightLimit {
  const limited = { readOnly: new Seats(current.readOnly), mutating: new Seats(current.mutating) }
  const exempt = { readOnly: createExemptTicket(current.readOnly), mutating: createExemptTicket(current.mutating) }
  return {
    admit: (info, user) => {
      const kind = classifyVerb(info.verb)
      const limit = limits[kind]
      if (limit === 0 || isExempt(info, user)) {
        current[kind].value++
        return exempt[kind]
      }
      return limited[kind].taken < limit ? new CountedTicket(limited[kind]) : undefined
    },
  }
}

/** Returns the kind of requests with this verb. */
export function classifyVerb(verb: string): InFlightKind {
  return readOnlyVerbs.has(verb) ? 'readOnly' : 'mutating'
}

function isExempt(info: RequestInfo, user: UserInfo): boolean {
  return (!info.isResourceRequest && info.verb === 'get' && probePaths.has(info.path)) || user.groups.includes(mastersGroup)
}

class Seats {
  readonly current: Value
  taken = 0

  constructor(current: Value) {
    this.current = current
  }
}

class CountedTicket implements Ticket {
  readonly #seats: Seats
  #state: 'taken' | 'free' | 'left' = 'taken'

  constructor(seats: Seats) {
    this.#seats = seats
    seats.current.value++
    seats.taken++
  }

  begin(): void {
    if (this.#state !== 'taken') return
    this.#state = 'free'
    this.#seats.taken--
  }

  /** Counts the request again when the client reads on. It may exceed the limit, because a request that has begun is completed. */
  end(): void {
    if (this.#state !== 'free') return
    this.#state = 'taken'
    this.#seats.taken++
  }

  leave(): void {
    if (this.#state === 'taken') this.#seats.taken--
    this.#state = 'left'
    this.#seats.current.value--
  }
}

function createExemptTicket(current: Value): Ticket {
  const doNothing = (): void => {}
  return { begin: doNothing, end: doNothing, leave: () => void current.value-- }
}
