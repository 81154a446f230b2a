import {
  ApiError,
  newConflict,
  newInternal,
  newResourceExpired,
  newServiceUnavailable,
  newTimeout,
  newTooManyRequests,
} from '@keelson/apimachinery'
import type { Exchange } from '@keelson/exchange'
import { writeError } from '@keelson/http-installer'
import { parseResourceName } from './served-resources.ts'
import { describeRequest, matchesRequest } from './request-log.ts'
import type { ClusterRequest, RequestLog, RequestMatch } from './request-log.ts'

/**
 * A failure of a request. A named error is answered with kube-apiserver's Status; "drop" closes the
 * connection without a response; `delayMs` delays the request, which is then served.
 */
export type Fault =
  | 'conflict'
  | 'drop'
  | 'expired'
  | 'internal-error'
  | 'timeout'
  | 'too-many-requests'
  | 'unavailable'
  | ApiError
  | { readonly delayMs: number }

interface PlannedFault {
  readonly match: RequestMatch
  readonly fault: Fault
  remaining: number
}

/** User agent of the test's own requests, which faults do not hit and the log does not contain. */
export const testUserAgent = 'keelson-testing'

/** Faults that hit requests of clients: requests through `fetch`, a `KubeConfig` or the port. `resource`, `apply` and `waitFor` are not hit. */
export class Faults {
  readonly #log: RequestLog
  readonly #watches = new Map<Exchange, ClusterRequest>()
  #planned: PlannedFault[] = []

  constructor(log: RequestLog) {
    this.#log = log
  }

  /**
   * Plans a fault for the next requests that match. `times` is their number. Faults that were planned first come first.
   *
   * @example
   * cluster.faults.next({ verb: 'update', resource: 'deployments.apps', times: 2 }, 'conflict')
   */
  next(match: RequestMatch | (Partial<ClusterRequest> & { readonly times?: number }), fault: Fault): void {
    const { times = 1, ...criteria } = typeof match === 'function' ? { times: 1 } : (match as Partial<ClusterRequest> & { times?: number })
    if (!(times > 0)) throw new RangeError(`times: ${times} must be greater than 0`)
    this.#planned.push({ match: typeof match === 'function' ? match : criteria, fault, remaining: times })
  }

  /** Number of requests that planned faults have not hit yet. A test that expects all of them checks that it is 0. */
  get pending(): number {
    return this.#planned.reduce((sum, { remaining }) => sum + remaining, 0)
  }

  /** Removes all planned faults. */
  clear(): void {
    this.#planned = []
  }

  /** Closes the connections of open watches that match, as if the network had failed. Returns their number. */
  cutWatches(match: RequestMatch = {}): number {
    const cut = [...this.#watches].filter(([, request]) => matchesRequest(match, request))
    for (const [exchange] of cut) {
      this.#watches.delete(exchange)
      exchange.outgoing.destroy()
    }
    return cut.length
  }

  /** The filter of the server. It logs the request and applies the first planned fault that matches. */
  readonly filter = (exchange: Exchange): 'answered' | undefined | Promise<undefined> => {
    if (exchange.userAgent === testUserAgent) return undefined
    const request = describeRequest(exchange)
    const setCode = this.#log.add(request)
    exchange.onEnd(({ outgoing }) => {
      if (outgoing.headersSent) setCode(outgoing.statusCode)
    })
    const fault = this.#take(request)
    if (fault === 'drop') {
      exchange.outgoing.destroy()
      return 'answered'
    }
    if (fault !== undefined && (typeof fault === 'string' || fault instanceof ApiError)) {
      const error = typeof fault === 'string' ? createError(fault, request) : fault
      writeError(exchange, error)
      return 'answered'
    }
    if (request.verb === 'watch') {
      this.#watches.set(exchange, request)
      exchange.outgoing.on('close', () => this.#watches.delete(exchange))
    }
    return fault && new Promise((resolve) => setTimeout(() => resolve(undefined), fault.delayMs))
  }

  #take(request: ClusterRequest): Fault | undefined {
    const planned = this.#planned.find(({ match }) => matchesRequest(match, request))
    if (planned === undefined) return undefined
    if (--planned.remaining === 0) this.#planned.splice(this.#planned.indexOf(planned), 1)
    return planned.fault
  }
}

function createError(fault: Exclude<Fault, 'drop' | object>, { resource, name }: ClusterRequest): ApiError {
  switch (fault) {
    case 'conflict':
      return newConflict(
        parseResourceName(resource),
        name,
        'the object has been modified; please apply your changes to the latest version and try again',
      )
    case 'expired':
      return newResourceExpired('The resourceVersion for the provided watch is too old.')
    case 'internal-error':
      return newInternal('a fault of the test')
    case 'timeout':
      return newTimeout('request did not complete within requested timeout', 1)
    case 'too-many-requests':
      return newTooManyRequests('Too many requests, please try again later.', 1)
    case 'unavailable':
      return newServiceUnavailable('the server is currently unable to handle the request')
  }
}
