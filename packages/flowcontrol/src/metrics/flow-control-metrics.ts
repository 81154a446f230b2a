import { createGauge, createHistogram, createTimingHistogram } from '@keelson/apimachinery/metrics'
import type { Histogram, MetricsRegistry, TimedRatio } from '@keelson/apimachinery/metrics'
import type { Adjustment } from '../configuration/adjust-seats.ts'
import type { DemandHistory } from '../configuration/demand-history.ts'
import type { SeatLimits } from '../configuration/seat-limits.ts'
import { createFlowSchemaCounters } from '../fair-queuing/flow.ts'
import type { FlowSchemaCounters } from '../fair-queuing/flow.ts'
import type { RequestDetails } from '../fair-queuing/fair-request.ts'
import type { QueueSet, QueueSetCounts, QueueSetObserver } from '../fair-queuing/queue-set.ts'
import type { Queuing } from '../fair-queuing/queuing.ts'
import { registerLevelSamples } from './level-samples.ts'

/** Counters and histograms of the requests of one flow schema at one priority level. */
export interface SchemaSeries extends FlowSchemaCounters {
  readonly seats: Histogram
  readonly watchCount: Histogram
  /** Removes the histograms. */
  close(): void
}

/** A priority level, as the metrics read it at each scrape. */
export interface MeasuredLevel {
  readonly name: string
  readonly isExempt: boolean
  readonly queuing: Queuing
  readonly queues: QueueSet
  readonly limits: SeatLimits
  readonly currentSeats: number
  readonly demand: Pick<DemandHistory, 'average' | 'deviation' | 'highWatermark' | 'smoothed'>
  readonly series: ReadonlyMap<string, SchemaSeries>
}

/** Metrics of one priority level. */
export interface LevelMetrics {
  readonly observer: QueueSetObserver
  getSchemaSeries(schema: string): SchemaSeries
  /** Sets the numbers of seats and of waiting requests that the ratios of the level relate to. */
  setDenominators(numbers: { readonly seats: number; readonly waiting: number }): void
  close(): void
}

export interface FlowControlMetrics {
  /** Creates the metrics of a level. Calls `onIdle` when the last request of the level leaves. */
  createLevelMetrics(level: MeasuredLevel, onIdle: () => void): LevelMetrics
  /** Sets how many requests of all levels may wait and execute. */
  setLimits(limits: Readonly<Record<'waiting' | 'executing', number>>): void
  /** Reports how seats were distributed. */
  recordAdjustment(adjustment: Adjustment): void
  /**
   * Sets the number of requests of a kind. Must be called after each change of a queue set, because it uses the time of that change. This saves
   * a reading of the clock.
   */
  setConcurrency(phase: 'waiting' | 'executing', kind: 'readOnly' | 'mutating', requests: number): void
}

const prefix = 'apiserver_flowcontrol_'
const durationBounds = [0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30]

/** Creates the metrics of priority and fairness, with kube-apiserver's names. Most of them are read from the queue sets at each scrape. */
export function createFlowControlMetrics(registry: MetricsRegistry, now: () => number): FlowControlMetrics {
  const levels = new Map<string, MeasuredLevel>()
  const lastChange: LastChange = { time: now() }
  let adjustment: Adjustment | undefined
  registerLevelSamples(registry, levels, (level) => adjustment?.targets.get(level.name) ?? 0)

  const registerHistogram = (name: string, help: string, bounds: readonly number[]): ReturnType<typeof createHistogram> =>
    registry.register(createHistogram(prefix + name, help, bounds))
  const registerRatio = (name: string, help: string, bounds: readonly number[]): ReturnType<typeof createTimingHistogram> =>
    registry.register(createTimingHistogram(prefix + name, help, { bounds, now }))
  const queueLengths = registerHistogram(
    'request_queue_length_after_enqueue',
    '[ALPHA] Length of its queue after a request joined it.',
    [0, 10, 25, 50, 100, 250, 500, 1000],
  )
  const waits = registerHistogram(
    'request_wait_duration_seconds',
    '[BETA] Time that a request waited in its queue, by whether it was executed.',
    durationBounds,
  )
  const executions = registerHistogram(
    'request_execution_seconds',
    '[ALPHA] Execution time of a request, or of the initialization of a watch.',
    durationBounds,
  )
  const watchCounts = registerHistogram(
    'watch_count_samples',
    '[ALPHA] Number of watches that a write may have to inform.',
    [0, 1, 10, 100, 1000, 10_000],
  )
  const estimates = registerHistogram(
    'work_estimated_seats',
    '[ALPHA] Estimated number of seats that a request needs at most.',
    [1, 2, 4, 8, 16, 32, 64, 100],
  )
  const seatUse = registerRatio(
    'priority_level_seat_utilization',
    '[ALPHA] Nanoseconds by the fraction of the seats that were in use.',
    [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1],
  )
  const requestUse = registerRatio(
    'priority_level_request_utilization',
    '[ALPHA] Nanoseconds by the number of waiting or executing requests, as a fraction of the possible number.',
    [0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.25, 0.5, 0.75, 1],
  )
  const demands = registerRatio(
    'demand_seats',
    '[ALPHA] Nanoseconds by the demand for seats, as a fraction of the seats.',
    [0.2, 0.4, 0.6, 0.8, 1, 1.2, 1.4, 1.7, 2, 2.8, 4, 6],
  )
  const kinds = registerRatio(
    'read_vs_write_current_requests',
    '[ALPHA] Nanoseconds by the number of waiting or executing requests of a kind, as a fraction of the possible number.',
    [0, 0.001, 0.01, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1],
  )
  const fairFraction = registry
    .register(createGauge(`${prefix}seat_fair_frac`, '[ALPHA] Fraction of its demand that each priority level gets.'))
    .with({})
  const createConcurrency = (phase: string): Record<'readOnly' | 'mutating', TimedRatio> => ({
    readOnly: kinds.with({ phase, request_kind: 'readOnly' }),
    mutating: kinds.with({ phase, request_kind: 'mutating' }),
  })
  const concurrency = { waiting: createConcurrency('waiting'), executing: createConcurrency('executing') }

  function createSeries(level: string, schema: string): MeasuredSeries {
    const labels = { priority_level: level, flow_schema: schema }
    const waitLabels = [
      { ...labels, execute: 'true' },
      { ...labels, execute: 'false' },
    ] as const
    const executionLabels = [
      { ...labels, type: 'regular' },
      { ...labels, type: 'watch' },
    ] as const
    return {
      ...createFlowSchemaCounters(schema),
      seats: new LazyHistogram(() => estimates.with(labels)),
      watchCount: new LazyHistogram(() => watchCounts.with(labels)),
      queueLength: new LazyHistogram(() => queueLengths.with(labels)),
      waited: new LazyHistogram(() => waits.with(waitLabels[0])),
      waitedInVain: new LazyHistogram(() => waits.with(waitLabels[1])),
      executed: new LazyHistogram(() => executions.with(executionLabels[0])),
      initialized: new LazyHistogram(() => executions.with(executionLabels[1])),
      close: () => {
        for (const histogram of [estimates, watchCounts, queueLengths]) histogram.delete(labels)
        for (const each of waitLabels) waits.delete(each)
        for (const each of executionLabels) executions.delete(each)
      },
    }
  }

  function createLevelMetrics(level: MeasuredLevel, onIdle: () => void): LevelMetrics {
    const { name } = level
    levels.set(name, level)
    const seatLabels = { priority_level: name, phase: 'executing' }
    const waitingLabels = { priority_level: name, phase: 'waiting' }
    const seats = seatUse.with(seatLabels)
    const executing = requestUse.with(seatLabels)
    const waiting = requestUse.with(waitingLabels)
    const demand = demands.with({ priority_level: name })
    return {
      observer: new LevelObserver({ seats, executing, waiting, demand }, lastChange, onIdle),
      getSchemaSeries: (schema) => createSeries(name, schema),
      setDenominators: (numbers) => {
        const time = now()
        for (const ratio of [seats, executing, demand]) ratio.setDenominator(numbers.seats, time)
        waiting.setDenominator(numbers.waiting, time)
      },
      close: () => {
        levels.delete(name)
        seatUse.delete(seatLabels)
        requestUse.delete(seatLabels)
        requestUse.delete(waitingLabels)
        demands.delete({ priority_level: name })
      },
    }
  }

  return {
    setConcurrency: (phase, kind, requests) => concurrency[phase][kind].setNumerator(requests, lastChange.time),
    createLevelMetrics: createLevelMetrics,
    setLimits: (limits) => {
      const time = now()
      for (const phase of ['waiting', 'executing'] as const) {
        for (const ratio of Object.values(concurrency[phase])) ratio.setDenominator(Math.max(1, limits[phase]), time)
      }
    },
    recordAdjustment: (result) => {
      adjustment = result
      fairFraction.value = result.fairFraction
    },
  }
}

/** Counters and histograms, including those that only the observer of the queue set updates. */
interface MeasuredSeries extends SchemaSeries {
  readonly queueLength: Histogram
  readonly waited: Histogram
  readonly waitedInVain: Histogram
  readonly executed: Histogram
  readonly initialized: Histogram
}

/** The time of the last change of a queue set. */
interface LastChange {
  time: number
}

type LevelRatios = Readonly<Record<'seats' | 'executing' | 'waiting' | 'demand', TimedRatio>>

/** Measures the requests of a level. A class, because its methods run several times for each request and are inlined. */
class LevelObserver implements QueueSetObserver {
  readonly #seats: TimedRatio
  readonly #executing: TimedRatio
  readonly #waiting: TimedRatio
  readonly #demand: TimedRatio
  readonly #lastChange: LastChange
  readonly #onIdle: () => void

  constructor({ seats, executing, waiting, demand }: LevelRatios, lastChange: LastChange, onIdle: () => void) {
    this.#seats = seats
    this.#executing = executing
    this.#waiting = waiting
    this.#demand = demand
    this.#lastChange = lastChange
    this.#onIdle = onIdle
  }

  // All flows of a level have series that `getSchemaSeries` created.
  recordQueueLength(flow: FlowSchemaCounters, queueLength: number): void {
    ;(flow as MeasuredSeries).queueLength.observe(queueLength)
  }

  recordWait(flow: FlowSchemaCounters, milliseconds: number, isExecuted: boolean): void {
    const { waited, waitedInVain } = flow as MeasuredSeries
    const histogram = isExecuted ? waited : waitedInVain
    histogram.observe(milliseconds / 1000)
  }

  recordExecution(flow: FlowSchemaCounters, milliseconds: number, { attributes }: RequestDetails): void {
    const { executed, initialized } = flow as MeasuredSeries
    const histogram = attributes.verb === 'watch' ? initialized : executed
    histogram.observe(milliseconds / 1000)
  }

  recordCounts(now: number, counts: QueueSetCounts): void {
    this.#lastChange.time = now
    this.#seats.setNumerator(counts.seatsInUse, now)
    this.#executing.setNumerator(counts.executingRequests, now)
    this.#waiting.setNumerator(counts.waitingRequests, now)
    this.#demand.setNumerator(counts.seatsInUse + counts.waitingSeats, now)
  }

  handleIdle(): void {
    this.#onIdle()
  }
}

/** A histogram whose series appears with its first observation. */
class LazyHistogram implements Histogram {
  readonly #create: () => Histogram
  #histogram: Histogram | undefined = undefined

  constructor(create: () => Histogram) {
    this.#create = create
  }

  observe(value: number): void {
    this.#histogram ??= this.#create()
    this.#histogram.observe(value)
  }
}
