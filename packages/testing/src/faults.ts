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
import { breakWatch } from './partial-watch.ts'
import { RandomFaults } from './random-faults.ts'
import type { RandomFaultOptions } from './random-faults.ts'
import { parseResourceName } from './served-resources.ts'
import { describeRequest, matchesRequest } from './request-log.ts'
import type { ClusterRequest, RequestLog, RequestMatch } from './request-log.ts'
import type { PastServer } from './stale-reads.ts'

/**
 * A failure of a request.
 *
 * - A named error is answered with kube-apiserver's Status.
 * - "drop" closes the connection without a response.
 * - "restart" closes the connection, and the server restarts.
 * - "stale-read" answers a get or list with the state of the moment in which the fault was planned.
 * - `delayMs` delays the request, which is then served.
 * - `watchEvents` breaks the connection of a watch after that number of events, in the middle of the next one.
 */
export type Fault =
  | 'conflict'
  | 'drop'
  | 'expired'
  | 'internal-error'
  | 'restart'
  | 'stale-read'
  | 'timeout'
  | 'too-many-requests'
  | 'unavailable'
  | ApiError
  | { readonly delayMs: number }
  | { readonly watchEvents: number }

interface PlannedFault {
  readonly match: RequestMatch
  readonly fault: Fault
  /** The server that answers stale reads. */
  readonly pastServer: PastServer | undefined
  remaining: number
}

type NamedError = Exclude<Fault, 'drop' | 'restart' | 'stale-read' | object>

/** The parts of a cluster that faults use. */
export interface FaultTarget {
  /** Returns a server with the current state. */
  readonly keepPast: () => PastServer
  readonly restart: () => Promise<void>
  readonly onError: (error: unknown) => void
}

/** User agent of the test's own requests, which faults do not hit and the log does not contain. */
export const testUserAgent = 'keelson-testing'

/** Faults that hit requests of clients: requests through `fetch`, a `KubeConfig` or the port. `resource`, `apply` and `waitFor` are not hit. */
export class Faults {
  readonly #log: RequestLog
  readonly #target: FaultTarget
  readonly #watches = new Map<Exchange, ClusterRequest>()
  #planned: PlannedFault[] = []
  #random: RandomFaults | undefined

  constructor(log: RequestLog, target: FaultTarget) {
    this.#log = log
    this.#target = target
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
    const pastServer = fault === 'stale-read' ? this.#target.keepPast() : undefined
    this.#planned.push({ match: typeof match === 'function' ? match : criteria, fault, pastServer, remaining: times })
  }

  /**
   * Hits some of the requests with random faults while `run` runs. The choice depends on the seed. If `run` fails, the message of the error
   * has the seed and the faults. Faults that were planned with `next` come first.
   *
   * @example
   * await cluster.faults.randomly({ rate: 0.3, faults: ['conflict', 'drop', { delayMs: 20 }] }, () => operator.reconcile('web'))
   */
  async randomly<T>(options: RandomFaultOptions, run: () => Promise<T>): Promise<T> {
    if (this.#random !== undefined) throw new Error('random faults are already in use')
    if (options.faults.includes('stale-read')) throw new TypeError('a stale read needs a moment, so it can only be planned with next')
    const random = (this.#random = new RandomFaults(options))
    try {
      return await run()
    } catch (error) {
      throw new Error(`${error instanceof Error ? error.message : String(error)}\n${random.describe()}`, { cause: error })
    } finally {
      this.#random = undefined
    }
  }

  /** Number of requests that planned faults have not hit yet. A test that expects all of them checks that it is 0. */
  get pending(): number {
    return this.#planned.reduce((sum, { remaining }) => sum + remaining, 0)
  }

  /** Removes all planned faults. */
  clear(): void {
    for (const { pastServer } of this.#planned.splice(0)) this.#closePast(pastServer)
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
  readonly filter = (exchange: Exchange): 'answered' | undefined | Promise<'answered' | undefined> => {
    if (exchange.userAgent === testUserAgent) return undefined
    const request = describeRequest(exchange)
    this.#log.add(request, exchange)
    const planned = this.#take(request)
    const fault = planned?.fault ?? this.#takeRandom(request)
    if (request.verb === 'watch') {
      this.#watches.set(exchange, request)
      exchange.outgoing.on('close', () => this.#watches.delete(exchange))
    }
    return fault && this.#apply(exchange, { request, fault, planned })
  }

  #apply(
    exchange: Exchange,
    { request, fault, planned }: { request: ClusterRequest; fault: Fault; planned: PlannedFault | undefined },
  ): 'answered' | undefined | Promise<'answered' | undefined> {
    if (fault instanceof ApiError) {
      writeError(exchange, fault)
      return 'answered'
    }
    if (typeof fault === 'object') {
      if ('delayMs' in fault) return new Promise((resolve) => setTimeout(() => resolve(undefined), fault.delayMs))
      if (request.verb === 'watch') breakWatch(exchange, fault.watchEvents)
      return undefined
    }
    switch (fault) {
      case 'drop':
      case 'restart':
        exchange.outgoing.destroy()
        if (fault === 'restart') this.#target.restart().catch(this.#target.onError)
        return 'answered'
      case 'stale-read':
        return this.#readPast(exchange, planned!)
      default:
        writeError(exchange, createError(fault, request))
        return 'answered'
    }
  }

  async #readPast(exchange: Exchange, { pastServer, remaining }: PlannedFault): Promise<'answered'> {
    try {
      await pastServer!.serve(exchange)
    } catch (error) {
      writeError(exchange, error)
    } finally {
      if (remaining === 0) this.#closePast(pastServer)
    }
    return 'answered'
  }

  #closePast(pastServer: PastServer | undefined): void {
    pastServer?.close().catch(this.#target.onError)
  }

  #takeRandom(request: ClusterRequest): Fault | undefined {
    const fault = this.#random?.take(request)
    return fault !== undefined && canHit(fault, request) ? fault : undefined
  }

  #take(request: ClusterRequest): PlannedFault | undefined {
    const planned = this.#planned.find(({ match, fault }) => matchesRequest(match, request) && canHit(fault, request))
    if (planned === undefined) return undefined
    if (--planned.remaining === 0) this.#planned.splice(this.#planned.indexOf(planned), 1)
    return planned
  }
}

/** Returns whether a fault can hit a request. Stale reads are gets and lists of objects, and only watches can end after some events. */
function canHit(fault: Fault, { verb, resource }: ClusterRequest): boolean {
  if (fault === 'stale-read') return resource !== '' && (verb === 'get' || verb === 'list')
  return typeof fault !== 'object' || !('watchEvents' in fault) || verb === 'watch'
}

function createError(fault: NamedError, { resource, name }: ClusterRequest): ApiError {
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
