import type { PriorityLevelConfiguration } from '@keelson/api/flowcontrol/v1'
import type { Clock, DeepReadonly } from '@keelson/apimachinery'
import { createQueueSet } from '../fair-queuing/queue-set.ts'
import type { QueueSet } from '../fair-queuing/queue-set.ts'
import type { Queuing } from '../fair-queuing/queuing.ts'
import type { FlowControlMetrics, LevelMetrics, SchemaSeries } from '../metrics/flow-control-metrics.ts'
import { RetryDelay } from '../retry-delay.ts'
import { DemandHistory } from './demand-history.ts'
import { computeLimits, computeMostSeats } from './seat-limits.ts'
import type { SeatLimits } from './seat-limits.ts'

export interface PriorityLevelOptions {
  readonly clock: Clock
  readonly metrics: FlowControlMetrics
  /** Called when no request waits or runs any more. */
  readonly onIdle: (level: PriorityLevel) => void
}

/** A priority level: the requests that share its seats, and its part in the server's seats. */
export class PriorityLevel {
  readonly name: string
  /** The object that configures the level, or the built-in one if a mandatory object is missing. */
  configuration: DeepReadonly<PriorityLevelConfiguration>
  queuing: Queuing
  readonly queues: QueueSet
  limits: SeatLimits = { nominal: 0, minimum: 0, maximum: 0 }
  /** The seats that the level has after borrowing and lending. */
  currentSeats = 0
  /** The most seats that one request may occupy. 0: there is no such limit. */
  mostSeats = 0
  /** True if the object was deleted. The level is removed when its last request has ended. */
  isQuiescing = false
  readonly demand: DemandHistory = new DemandHistory()
  readonly retryDelay: RetryDelay = new RetryDelay()
  readonly #metrics: LevelMetrics
  readonly #series = new Map<string, SchemaSeries>()

  constructor(configuration: DeepReadonly<PriorityLevelConfiguration>, queuing: Queuing, options: PriorityLevelOptions) {
    this.name = configuration.metadata.name!
    this.configuration = configuration
    this.queuing = queuing
    this.#metrics = options.metrics.createLevelMetrics(this, () => options.onIdle(this))
    this.queues = createQueueSet({
      name: this.name,
      queuing,
      seats: 0,
      clock: options.clock,
      observer: this.#metrics.observer,
    })
  }

  get isExempt(): boolean {
    return this.queuing.type === 'exempt'
  }

  /** The counters and histograms of the level's requests that match a flow schema. */
  getSeries(schema: string): SchemaSeries {
    let series = this.#series.get(schema)
    if (series === undefined) this.#series.set(schema, (series = this.#metrics.getSchemaSeries(schema)))
    return series
  }

  /** All counters and histograms of the level, by flow schema. */
  get series(): ReadonlyMap<string, SchemaSeries> {
    return this.#series
  }

  /** Removes the counters and histograms of flow schemas that no longer use the level, and have no requests in it. */
  keepSeries(schemas: ReadonlySet<string>): void {
    for (const [schema, series] of this.#series) {
      if (schemas.has(schema) || series.waitingRequests > 0 || series.executingRequests > 0) continue
      this.#series.delete(schema)
      series.close()
    }
  }

  /** Computes the level's limits from its share of the server's seats. */
  limit(serverSeats: number, totalShares: number): void {
    const spec = this.configuration.spec!
    this.limits = computeLimits(spec, serverSeats, totalShares)
    this.mostSeats = computeMostSeats(spec, this.limits.nominal)
  }

  /** Updates the seats of the level and the number of seats that its ratios relate to. */
  setSeats(seats: number, serverSeats: number): void {
    this.currentSeats = seats
    this.queues.configure(this.queuing, seats)
    const waiting = this.queuing.type === 'queue' ? Math.max(1, this.queuing.queues * this.queuing.queueLengthLimit) : 1
    this.#metrics.setDenominators({ seats: seats > 0 ? seats : Math.max(1, Math.round(serverSeats / 10)), waiting })
  }

  /** Removes the metrics of the level. */
  close(): void {
    for (const series of this.#series.values()) series.close()
    this.#series.clear()
    this.#metrics.close()
  }
}
