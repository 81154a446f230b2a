import type { RequestInfo, UserInfo } from '@keelson/apimachinery'
import type { ClientWait, Exchange, QueryParameters } from '@keelson/exchange'
import type { RequestMetrics } from '../request-metrics.ts'
import type { Filter, FilterOutcome } from './filter.ts'
import { classifyVerb, refuseTooMany } from './in-flight.ts'
import type { InFlightKind } from './in-flight.ts'
import { formatMilliseconds } from './request-log.ts'

/** A request that the flow control has admitted or queued. */
export interface ControlledRequest extends ClientWait {
  /** True until the request runs or is cancelled. */
  readonly isWaiting: boolean
  /** Milliseconds that the request waited. */
  readonly waited: number
  /** Resolves with true when the request may run, and with false when it is cancelled. */
  waitForDecision(): Promise<boolean>
  /** Removes a waiting request from its queue. */
  cancel(): void
  /** Ends a running request. */
  leave(): void
}

/** The flow schema and the priority level of a request. */
export interface FlowTarget {
  /** Headers of the response, as alternating names and values. */
  readonly headers: readonly string[]
  readonly schemaName: string
  readonly levelName: string
}

/** Estimate of the work of a request. */
interface WorkEstimate {
  readonly initialSeats: number
  readonly finalSeats: number
  /** Milliseconds that the request keeps its seats after its response. */
  readonly additionalLatency: number
}

/** Priority and fairness, as the filter uses it: `FlowControl` of `@keelson/flowcontrol`. */
export interface FlowControl<T extends FlowTarget = FlowTarget> {
  classify(attributes: RequestInfo, user: UserInfo): T
  /** Starts or queues a request. Returns the reason if it is rejected. Calls `onEstimated` before. */
  start(exchange: Exchange, target: T, onEstimated?: (estimate: WorkEstimate) => void): ControlledRequest | string
  /** Counts a rejected request. Returns the number of seconds after which its client should try again. */
  countRejected(target: T): number
  readonly watches: { add(watch: { readonly attributes: RequestInfo; readonly query: QueryParameters }): () => void }
  readonly metrics: { setConcurrency(phase: 'waiting' | 'executing', kind: InFlightKind, requests: number): void }
}

interface FlowControlFilterOptions {
  readonly metrics: Pick<RequestMetrics, 'countDrop' | 'inFlight' | 'createQueueGauges'>
  /** Timeout of requests. A request waits in its queue for at most a quarter of its timeout. */
  readonly requestTimeoutMs: number
}

const longestWaitMs = 60_000

/**
 * Creates a filter that lets requests wait for their turn, and answers 429 if there are too many of them. A watch counts only until it has sent
 * the existing objects. Other long-running requests are not limited.
 */
export function limitFlow<T extends FlowTarget>(control: FlowControl<T>, options: FlowControlFilterOptions): Filter {
  const { metrics, requestTimeoutMs } = options
  const gauges = { waiting: metrics.createQueueGauges(), executing: metrics.inFlight }
  const counts: Readonly<Record<'waiting' | 'executing', Record<InFlightKind, number>>> = {
    waiting: { readOnly: 0, mutating: 0 },
    executing: { readOnly: 0, mutating: 0 },
  }
  const count = (phase: 'waiting' | 'executing', exchange: Exchange, difference: 1 | -1): void => {
    const kind = classifyVerb(exchange.attributes.verb)
    const value = (counts[phase][kind] += difference)
    gauges[phase][kind].value = value
    control.metrics.setConcurrency(phase, kind, value)
  }

  /** Ends a request. It is shared by all requests, which keep their ticket in the exchange. */
  const leave = (exchange: Exchange): void => {
    const request = exchange.clientWait as ControlledRequest
    request.leave()
    count('executing', exchange, -1)
  }

  const run = (exchange: Exchange, request: ControlledRequest): void => {
    count('executing', exchange, 1)
    if (exchange.attributes.verb === 'watch') return runWatch(exchange, request)
    if (exchange.logFields !== undefined) exchange.onEnd(createExecutionLogger())
    exchange.clientWait = request
    exchange.onEnd(leave)
  }

  const runWatch = (exchange: Exchange, request: ControlledRequest): void => {
    let isInitialized = false
    const logExecution = exchange.logFields && createExecutionLogger()
    const initialize = (): void => {
      if (isInitialized) return
      isInitialized = true
      logExecution?.(exchange)
      request.leave()
      count('executing', exchange, -1)
    }
    const forget = control.watches.add(exchange)
    exchange.watchInitialized = initialize
    exchange.onEnd(() => {
      initialize()
      forget()
    })
  }

  const reject = (exchange: Exchange, target: T): FilterOutcome => {
    // The request has expired while it waited.
    if (exchange.outgoing.headersSent) return 'answered'
    metrics.countDrop(exchange)
    const seconds = control.countRejected(target)
    if (exchange.outgoing.destroyed) return 'answered'
    refuseTooMany(exchange, seconds)
    return 'answered'
  }

  const waitForTurn = async (exchange: Exchange, target: T, request: ControlledRequest): Promise<FilterOutcome> => {
    count('waiting', exchange, 1)
    const cancel = (): void => request.cancel()
    const timeout = exchange.deadline === undefined ? requestTimeoutMs : exchange.deadline - exchange.started
    const waitEnds = exchange.started + Math.min(timeout / 4, longestWaitMs)
    const decided = request.waitForDecision()
    const timer = setTimeout(cancel, Math.max(0, waitEnds - performance.now())).unref()
    exchange.outgoing.once('close', cancel)
    exchange.onEnd(cancel)
    const isRunning = await decided
    clearTimeout(timer)
    exchange.outgoing.off('close', cancel)
    count('waiting', exchange, -1)
    exchange.excludeLatency('apf-queue-wait', request.waited)
    // The next phase begins now, so its duration does not include the wait.
    exchange.phaseStarted = performance.now()
    return isRunning ? run(exchange, request) : reject(exchange, target)
  }

  return (exchange) => {
    const { attributes } = exchange
    if (exchange.isLongRunning && attributes.verb !== 'watch') return
    // The client has closed the connection while an earlier filter waited.
    if (exchange.outgoing.destroyed) return 'answered'
    const target = control.classify(attributes, exchange.user)
    exchange.addHeaders(target.headers)
    const { logFields } = exchange
    const request = control.start(exchange, target, logFields && ((estimate) => logEstimate(logFields, target, estimate)))
    if (typeof request === 'string') return reject(exchange, target)
    return request.isWaiting ? waitForTurn(exchange, target, request) : run(exchange, request)
  }
}

/** Maximum length of names in the log. */
const maxNameLength = 64

/** Adds the fields of kube-apiserver to the log record of a request. */
function logEstimate(
  fields: Record<string, unknown>,
  { levelName, schemaName }: FlowTarget,
  { initialSeats, finalSeats, additionalLatency }: WorkEstimate,
): void {
  fields['apf_pl'] = levelName.slice(0, maxNameLength)
  fields['apf_fs'] = schemaName.slice(0, maxNameLength)
  fields['apf_iseats'] = initialSeats
  fields['apf_fseats'] = finalSeats
  fields['apf_additionalLatency'] = formatMilliseconds(additionalLatency)
}

/** Returns a function that logs the time from now on as the execution time: for a watch, until it has sent the existing objects. */
function createExecutionLogger(): (exchange: Exchange) => void {
  const began = performance.now()
  return ({ attributes, logFields }) => {
    if (logFields === undefined) return
    const duration = formatMilliseconds(performance.now() - began)
    if (attributes.verb === 'watch') logFields['apf_init_latency'] = duration
    logFields['apf_execution_time'] = duration
  }
}
