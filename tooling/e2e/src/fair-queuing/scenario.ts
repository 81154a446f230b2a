import * as fc from 'fast-check'

/** Configuration of a priority level in a scenario. */
export interface ScenarioLevel {
  /** Number of queues. 0 for a level that rejects requests, and -1 for an exempt level. */
  readonly queues: number
  readonly queueLengthLimit: number
  readonly handSize: number
  readonly seats: number
}

/** A request of a scenario. Times are in nanoseconds. */
export interface ScenarioRequest {
  readonly at: number
  /** Index of its flow. */
  readonly flow: number
  readonly initialSeats: number
  readonly finalSeats: number
  /** Additional latency. */
  readonly latency: number
  readonly duration: number
  /** Time until the client leaves the queue. 0 for never. */
  readonly patience: number
}

/** Requests to one priority level, and changes of its configuration, over time. */
export interface Scenario {
  readonly level: ScenarioLevel
  readonly flows: readonly string[]
  readonly requests: readonly ScenarioRequest[]
  readonly changes: readonly (ScenarioLevel & { readonly at: number })[]
}

export interface ScenarioOutcome {
  /** Arrivals, dispatches, ends and rejections with their times, and sometimes the state of the queues. */
  readonly events: readonly string[]
  readonly metrics: Readonly<Record<string, number>>
  /** Seat demand: seconds, average and maximum. */
  readonly demand: readonly [number, number, number]
}

const millisecond = 1_000_000

function generateQueues(): fc.Arbitrary<Omit<ScenarioLevel, 'seats'>> {
  return fc.constantFrom(1, 2, 3, 5, 8, 16, 64).chain((queues) =>
    fc.record({
      queues: fc.constant(queues),
      queueLengthLimit: fc.constantFrom(0, 1, 2, 5, 12, 50),
      handSize: fc.integer({ min: 1, max: Math.min(queues, 7) }),
    }),
  )
}

function generateLevel(seats: number): fc.Arbitrary<ScenarioLevel> {
  const withoutQueues = fc.constantFrom(0, -1).map((queues) => ({ queues, queueLengthLimit: 0, handSize: 0 }))
  return fc
    .oneof({ weight: 9, arbitrary: generateQueues() }, { weight: 1, arbitrary: withoutQueues })
    .map(({ queues, queueLengthLimit, handSize }) => ({ queues, queueLengthLimit, handSize, seats }))
}

/** Times of which many are equal. Others differ by nanoseconds. */
function generateTime(max: number): fc.Arbitrary<number> {
  return fc.oneof(
    fc.integer({ min: 0, max: 10 }).map((step) => Math.round((step * max) / 10)),
    fc.integer({ min: 0, max }),
    fc.integer({ min: 0, max: max / 10 }),
  )
}

/**
 * Generates scenarios. Levels with additional latency keep their number of queues: kube-apiserver removes a wrong queue, or panics, if a request
 * ends its additional latency after its queue was removed.
 */
export const arbitraryScenario: fc.Arbitrary<Scenario> = fc
  .record({
    seats: fc.integer({ min: 1, max: 20 }),
    maxWidth: fc.constantFrom(1, 2, 4, 22),
    hasLatency: fc.boolean(),
    spread: fc.constantFrom(5, 50, 500),
  })
  .chain(({ seats, maxWidth, hasLatency, spread }) =>
    fc.record({
      level: generateLevel(seats),
      flows: fc.uniqueArray(fc.string({ maxLength: 4 }), { minLength: 1, maxLength: 6 }),
      requests: fc.array(
        fc.record({
          at: generateTime(spread * millisecond),
          flow: fc.nat({ max: 1000 }),
          initialSeats: fc.integer({ min: 1, max: maxWidth }),
          finalSeats: hasLatency ? fc.integer({ min: 0, max: maxWidth }) : fc.constant(0),
          latency: hasLatency ? fc.oneof(fc.constant(0), generateTime(20 * millisecond)) : fc.constant(0),
          duration: generateTime(30 * millisecond),
          patience: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: generateTime(100 * millisecond) }),
        }),
        { minLength: 1, maxLength: 150, size: 'max' },
      ),
      changes: fc.array(
        fc.record({ at: generateTime(2 * spread * millisecond), next: fc.integer({ min: 0, max: 20 }).chain(generateLevel) }),
        { maxLength: 3 },
      ),
      hasLatency: fc.constant(hasLatency),
    }),
  )
  .map(({ level, flows, requests, changes, hasLatency }) => ({
    level,
    flows,
    requests: requests.map((request) => Object.assign(request, { flow: request.flow % flows.length })),
    changes: changes.map(({ at, next }) => Object.assign({ at }, next, hasLatency && { ...level, seats: next.seats })),
  }))
