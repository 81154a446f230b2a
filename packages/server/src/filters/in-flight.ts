import { mastersGroup } from '@keelson/apimachinery'
import type { RequestInfo, UserInfo } from '@keelson/apimachinery'
import type { Value } from '@keelson/apimachinery/metrics'
import type { ClientWait, Exchange } from '@keelson/exchange'
import { createPlainError, sendPlain } from '../plain-answer.ts'
import type { RequestMetrics } from '../request-metrics.ts'
import type { Filter } from './filter.ts'

const readOnlyVerbs = new Set(['get', 'list', 'watch'])
const probePaths = new Set(['/healthz', '/livez', '/readyz'])

export interface InFlightLimits {
  /** Maximum number of concurrent read requests. 0 means no limit, as for writes. */
  readonly readOnly: number
  readonly mutating: number
}

export type InFlightKind = 'readOnly' | 'mutating'

/** Permission for one request to run. Call `leave` once, when the request has ended. After that, `begin` and `end` do nothing. */
interface Ticket extends ClientWait {
  leave(): void
}

/**
 * Creates a filter that answers 429 if too many requests of the same kind run. Long-running requests, health checks and members of
 * `system:masters` are not limited, like requests of kube-apiserver's priority level `exempt`. A response does not count while it waits for its
 * client to read, so slow readers do not block other clients. `metrics.inFlight` counts all requests in flight, including exempt ones.
 */
export function limitInFlight(limits: InFlightLimits, metrics: Pick<RequestMetrics, 'countDrop' | 'inFlight'>): Filter {
  const { inFlight } = metrics
  const limited = { readOnly: new Seats(inFlight.readOnly), mutating: new Seats(inFlight.mutating) }
  const exempt = { readOnly: createExemptTicket(inFlight.readOnly), mutating: createExemptTicket(inFlight.mutating) }

  /** Returns a ticket if the request may run. Returns undefined if too many requests of its kind run. */
  const admit = ({ attributes, user }: Exchange): Ticket | undefined => {
    const kind = classifyVerb(attributes.verb)
    const limit = limits[kind]
    if (limit === 0 || isExempt(attributes, user)) {
      inFlight[kind].value++
      return exempt[kind]
    }
    return limited[kind].admittedRequests < limit ? new CountedTicket(limited[kind]) : undefined
  }

  return (exchange) => {
    if (exchange.isLongRunning) return undefined
    const ticket = admit(exchange)
    if (ticket === undefined) {
      metrics.countDrop(exchange)
      refuseTooMany(exchange, 1)
      return 'answered'
    }
    exchange.clientWait = ticket
    exchange.onEnd(() => ticket.leave())
    return undefined
  }
}

/** Answers 429 as plain text, like kube-apiserver. `seconds` is the time after which the client should try again. */
export function refuseTooMany(exchange: Exchange, seconds: number): void {
  exchange.outgoing.setHeader('Retry-After', String(seconds))
  sendPlain(exchange, createPlainError(429, 'Too many requests, please try again later.'))
}

/** Returns the kind of requests with this verb. */
export function classifyVerb(verb: string): InFlightKind {
  return readOnlyVerbs.has(verb) ? 'readOnly' : 'mutating'
}

function isExempt(attributes: RequestInfo, user: UserInfo): boolean {
  return (
    (!attributes.isResourceRequest && attributes.verb === 'get' && probePaths.has(attributes.path)) || user.groups.includes(mastersGroup)
  )
}

class Seats {
  readonly current: Value
  admittedRequests = 0

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
    seats.admittedRequests++
  }

  begin(): void {
    if (this.#state !== 'taken') return
    this.#state = 'free'
    this.#seats.admittedRequests--
  }

  /** Counts the request again when the client reads on. It may exceed the limit, because a request that has begun is completed. */
  end(): void {
    if (this.#state !== 'free') return
    this.#state = 'taken'
    this.#seats.admittedRequests++
  }

  leave(): void {
    if (this.#state === 'taken') this.#seats.admittedRequests--
    this.#state = 'left'
    this.#seats.current.value--
  }
}

function createExemptTicket(current: Value): Ticket {
  const doNothing = (): void => {}
  return { begin: doNothing, end: doNothing, leave: () => void current.value-- }
}
