import type { RequestInfo, UserInfo } from '@keelson/apimachinery'
import { mastersGroup } from '@keelson/auth'
import type { ClientWait } from '@keelson/http-installer'
import type { Value } from '@keelson/apimachinery/metrics'

const readOnlyVerbs = new Set(['get', 'list', 'watch'])
const probePaths = new Set(['/healthz', '/livez', '/readyz'])

export interface InFlightLimits {
  /** 0: no limit. */
  readonly readOnly: number
  readonly mutating: number
}

export type InFlightKind = 'readOnly' | 'mutating'

/** A request's place among those in flight. `leave` is called once; after it `begin` and `end` do nothing. */
export interface Seat extends ClientWait {
  leave(): void
}

export interface InFlightLimit {
  /** Undefined: the server is busy with as many requests of this kind as it may be. */
  enter(info: RequestInfo, user: UserInfo): Seat | undefined
}

/**
 * Bounds the requests that the server works on at once. As with kube-apiserver's priority level `exempt`, probes and members of `system:masters` are neither
 * counted nor turned away. An answer that waits for its client is no work: its seat is free meanwhile, so that clients that do not read
 * cannot keep others out. `current` counts every request in flight, also these.
 */
export function createInFlightLimit(limits: InFlightLimits, current: Readonly<Record<InFlightKind, Value>>): InFlightLimit {
  const counted = { readOnly: new Seats(current.readOnly), mutating: new Seats(current.mutating) }
  const exempt = { readOnly: exemptSeat(current.readOnly), mutating: exemptSeat(current.mutating) }
  return {
    enter: (info, user) => {
      const kind = readOnlyVerbs.has(info.verb) ? 'readOnly' : 'mutating'
      const limit = limits[kind]
      if (limit === 0 || isExempt(info, user)) {
        current[kind].value++
        return exempt[kind]
      }
      return counted[kind].taken < limit ? new CountedSeat(counted[kind]) : undefined
    },
  }
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

class CountedSeat implements Seat {
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

  /** Takes the seat back also when all are taken: what has begun is finished. */
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

function exemptSeat(current: Value): Seat {
  const nothing = (): void => {}
  return { begin: nothing, end: nothing, leave: () => void current.value-- }
}
