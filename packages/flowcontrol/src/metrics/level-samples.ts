import { createSampledVector } from '@keelson/apimachinery/metrics'
import type { LabelValues, MetricsRegistry } from '@keelson/apimachinery/metrics'
import type { FlowSchemaCounters, RejectionReason } from '../fair-queuing/flow.ts'
import type { MeasuredLevel } from './flow-control-metrics.ts'

type Kind = 'counter' | 'gauge'
type ReadLevel = (level: MeasuredLevel) => number
/** Returns the value of a flow schema. Undefined if the schema has no such value. */
type ReadSchema = (counters: FlowSchemaCounters, level: MeasuredLevel) => number | undefined

const reasons: readonly RejectionReason[] = ['queue-full', 'concurrency-limit', 'time-out']

const levelGauges: readonly (readonly [name: string, help: string, read: ReadLevel])[] = [
  ['nominal_limit_seats', '[BETA] Configured number of seats of a priority level.', ({ limits }) => limits.nominal],
  ['lower_limit_seats', '[ALPHA] Number of seats that a priority level keeps.', ({ limits }) => limits.minimum],
  ['upper_limit_seats', '[ALPHA] Number of seats that a priority level gets at most.', ({ limits }) => limits.maximum],
  ['current_limit_seats', '[ALPHA] Number of seats that a priority level has now.', ({ currentSeats }) => currentSeats],
  ['demand_seats_high_watermark', '[ALPHA] Highest demand for seats before the last adjustment.', ({ demand }) => demand.highWatermark],
  ['demand_seats_average', '[ALPHA] Average demand for seats before the last adjustment.', ({ demand }) => demand.average],
  [
    'demand_seats_stdev',
    '[ALPHA] Standard deviation of the demand for seats before the last adjustment.',
    ({ demand }) => demand.deviation,
  ],
  ['demand_seats_smoothed', '[ALPHA] Demand for seats that decays slowly.', ({ demand }) => demand.smoothed],
]

/** State of the fair queuing, for levels with queues. The second name is the value of the label `bound`. */
const readings: readonly (readonly [name: string, help: string, values: Readonly<Record<string, ReadLevel>>])[] = [
  ['current_r', '[ALPHA] Progress of the virtual time at its last change.', { '': ({ queues }) => queues.readings.progress }],
  ['dispatch_r', '[ALPHA] Progress of the virtual time at the last dispatch.', { '': ({ queues }) => queues.readings.dispatchProgress }],
  ['latest_s', '[ALPHA] Virtual start time of the last dispatched request.', { '': ({ queues }) => queues.readings.dispatchTurn }],
  [
    'next_s_bounds',
    '[ALPHA] Range of the virtual start times of the next requests of all queues.',
    { min: ({ queues }) => queues.readings.minTurn, max: ({ queues }) => queues.readings.maxTurn },
  ],
  [
    'next_discounted_s_bounds',
    '[ALPHA] Range of the virtual start times of the next requests, minus the estimated work in progress.',
    { min: ({ queues }) => queues.readings.minDiscountedTurn, max: ({ queues }) => queues.readings.maxDiscountedTurn },
  ],
]

const schemaMetrics: readonly (readonly [kind: Kind, name: string, help: string, read: ReadSchema])[] = [
  ['counter', 'dispatched_requests_total', '[BETA] Executed requests.', ({ dispatched }) => dispatched || undefined],
  [
    'counter',
    'request_dispatch_no_accommodation_total',
    '[ALPHA] Times that the next request did not find enough free seats.',
    ({ unaccommodated }) => unaccommodated || undefined,
  ],
  ['gauge', 'current_inqueue_requests', '[BETA] Waiting requests.', readIfQueued(({ waitingRequests }) => waitingRequests)],
  ['gauge', 'current_inqueue_seats', '[ALPHA] Seats that waiting requests need.', readIfQueued(({ waitingSeats }) => waitingSeats)],
  [
    'gauge',
    'current_executing_requests',
    '[BETA] Executing requests and watches that are initialized.',
    ({ dispatched, executingRequests }) => (dispatched === 0 ? undefined : executingRequests),
  ],
  ['gauge', 'current_executing_seats', '[BETA] Seats in use.', ({ dispatched, seatsInUse }) => (dispatched === 0 ? undefined : seatsInUse)],
]

const prefix = 'apiserver_flowcontrol_'

/** Registers the metrics that are read from the priority levels at each scrape. `readTarget` returns the seats that a level should have. */
export function registerLevelSamples(registry: MetricsRegistry, levels: ReadonlyMap<string, MeasuredLevel>, readTarget: ReadLevel): void {
  const register = (kind: Kind, name: string, help: string, sample: () => Iterable<readonly [LabelValues, number]>): void => {
    registry.register(createSampledVector(kind, prefix + name, help, sample))
  }
  function* sampleLevels(read: ReadLevel): Iterable<readonly [LabelValues, number]> {
    for (const level of levels.values()) yield [{ priority_level: level.name }, read(level)]
  }
  function* sampleSchemas(read: ReadSchema, labels: LabelValues = {}): Iterable<readonly [LabelValues, number]> {
    for (const level of levels.values()) {
      for (const [schema, counters] of level.series) {
        const value = read(counters, level)
        if (value !== undefined) yield [{ priority_level: level.name, flow_schema: schema, ...labels }, value]
      }
    }
  }
  function* sampleReadings(values: Readonly<Record<string, ReadLevel>>): Iterable<readonly [LabelValues, number]> {
    for (const level of levels.values()) {
      if (level.isExempt) continue
      for (const [bound, read] of Object.entries(values)) {
        yield [{ priority_level: level.name, ...(bound === '' ? undefined : { bound }) }, read(level)]
      }
    }
  }

  for (const [name, help, read] of levelGauges) register('gauge', name, help, () => sampleLevels(read))
  register('gauge', 'target_seats', '[ALPHA] Number of seats that a priority level should have by its demand.', () =>
    sampleLevels(readTarget),
  )
  for (const [name, help, values] of readings) register('gauge', name, help, () => sampleReadings(values))
  for (const [kind, name, help, read] of schemaMetrics) register(kind, name, help, () => sampleSchemas(read))
  register('counter', 'rejected_requests_total', '[BETA] Rejected requests by reason.', function* () {
    for (const reason of reasons) yield* sampleSchemas(({ rejected }) => rejected[reason] || undefined, { reason })
  })
  register('counter', 'epoch_advance_total', '[ALPHA] Times that the virtual time of a priority level was reset.', function* () {
    for (const [labels, count] of sampleLevels(({ queues }) => queues.readings.rewinds)) {
      if (count > 0) yield [{ ...labels, success: 'true' }, count]
    }
  })
}

/** Reads a value that only levels with queues have. */
function readIfQueued(read: (counters: FlowSchemaCounters) => number): ReadSchema {
  return (counters, level) =>
    level.queuing.type !== 'queue' || counters.dispatched + counters.waitingRequests === 0 ? undefined : read(counters)
}
