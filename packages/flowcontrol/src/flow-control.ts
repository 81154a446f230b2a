import { monotonicClock } from '@keelson/apimachinery'
import type { Clock } from '@keelson/apimachinery'
import type { MetricsRegistry } from '@keelson/apimachinery/metrics'
import { FlowConfiguration } from './configuration/flow-configuration.ts'
import type { FlowTarget } from './configuration/flow-target.ts'
import { dumpTable } from './debug/dump-tables.ts'
import type { DumpedTable, DumpOptions } from './debug/dump-tables.ts'
import type { FairRequest, RequestDetails, WorkEstimate } from './fair-queuing/fair-request.ts'
import type { Rejection } from './fair-queuing/queue-set.ts'
import { createFlowControlMetrics } from './metrics/flow-control-metrics.ts'
import type { FlowControlMetrics } from './metrics/flow-control-metrics.ts'
import { countMostSeats, estimateWork } from './width/estimate-work.ts'
import type { FindObjectStats } from './width/estimate-work.ts'
import type { ListRequest } from './width/list-seats.ts'
import { WatchCounts } from './width/watch-counts.ts'

export interface FlowControlOptions {
  /** The number of seats of the server, which all priority levels share. */
  readonly serverSeats: number
  readonly metrics: MetricsRegistry
  readonly findStats: FindObjectStats
  /** Clock with a resolution better than a millisecond. Default: `monotonicClock`. */
  readonly clock?: Clock
  /** Called with problems of the configuration that validation should have prevented. */
  readonly onProblem: (message: string) => void
}

/** A request that is admitted or queued. */
export type ControlledRequest = ListRequest & RequestDetails

/**
 * Decides when requests run: each belongs to a flow schema and so to a priority level, which has a number of seats and queues.
 *
 * @example
 * const control = new FlowControl({ serverSeats: 600, metrics, findStats: () => undefined, onProblem: console.error })
 * const target = control.classify(attributes, user)
 * const request = control.start(exchange, target)
 * if (typeof request === 'string') reject(control.countRejected(target))
 * else if (!request.isWaiting || (await request.waitForDecision())) serve().finally(() => request.leave())
 */
export class FlowControl {
  readonly configuration: FlowConfiguration
  readonly watches: WatchCounts = new WatchCounts()
  readonly metrics: FlowControlMetrics
  readonly clock: Clock
  readonly #findStats: FindObjectStats
  /** Called when a deleted priority level has become idle. */
  onUnused: () => void = () => {}

  constructor({ serverSeats, metrics, findStats, clock = monotonicClock, onProblem }: FlowControlOptions) {
    this.clock = clock
    this.#findStats = findStats
    this.metrics = createFlowControlMetrics(metrics, clock.now)
    this.configuration = new FlowConfiguration({
      serverSeats,
      clock,
      metrics: this.metrics,
      onUnused: () => this.onUnused(),
      onProblem,
    })
  }

  /** Returns the flow schema and the priority level of a request. */
  classify(action: RequestDetails['attributes'], user: RequestDetails['user']): FlowTarget {
    return this.configuration.classify(action, user)
  }

  /** Starts a request, or adds it to a queue. Returns the reason if there is no room for it. Calls `onEstimated` before. */
  start(request: ControlledRequest, target: FlowTarget, onEstimated?: (estimate: WorkEstimate) => void): FairRequest | Rejection {
    const estimate = estimateWork(request, target, this)
    onEstimated?.(estimate)
    target.series.seats.observe(countMostSeats(estimate))
    return target.level.queues.start(target.identifyFlow(request.attributes, request.user), estimate, request)
  }

  /** Counts a rejected request. Returns the number of seconds after which its client should try again. */
  countRejected({ level }: FlowTarget): number {
    level.retryDelay.record(this.clock.now())
    return level.retryDelay.seconds
  }

  /** Returns the state of all priority levels as a table, for the debug endpoints. */
  dump(table: DumpedTable, options: DumpOptions): string {
    return dumpTable(table, this.configuration.levels.values(), options)
  }

  /** Returns the statistics of the objects that a list returns. */
  findStats(action: RequestDetails['attributes']): ReturnType<FindObjectStats> {
    return this.#findStats(action)
  }
}
