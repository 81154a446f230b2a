import { describe, expect, test } from 'vitest'
import { divideFairly, runUniformClients } from './uniform-clients.fixture.ts'
import type { UniformClient, UniformOutcome, UniformScenario } from './uniform-clients.fixture.ts'

// The scenarios and margins of kube-apiserver's own tests of its queue set.

const second = 1000
const nanosecond = 1e-6

function createQueuing(count: number, queueLengthLimit: number, handSize: number): UniformScenario['queuing'] {
  return { type: 'queue', queues: count, queueLengthLimit, handSize }
}

test('divides seats fairly', () => {
  expect(divideFairly([0, 0], 42)).toEqual([0, 0])
  expect(divideFairly([47, 0], 42)).toEqual([42, 0])
  expect(divideFairly([1, 47], 42)).toEqual([1, 41])
  expect(divideFairly([3, 7, 9, 1], 14)).toEqual([3, 5, 5, 1])
  expect(divideFairly([1, 9, 7, 3], 21)).toEqual([1, 9, 7, 3])
})

const one: UniformClient = { hash: 1001001001, threads: 1, calls: 21, execution: second, pause: 0 }

function createClient(members: Partial<UniformClient>): UniformClient {
  return { ...one, ...members }
}

const scenarios: Readonly<Record<string, UniformScenario & { readonly margin: number }>> = {
  'one client': { queuing: createQueuing(9, 8, 3), seats: 1, duration: 20 * second, clients: [one], margin: 0 },
  'two equal clients, each with one queue': {
    queuing: createQueuing(9, 8, 1),
    seats: 4,
    duration: 50 * second,
    clients: [
      { ...one, threads: 8, calls: 20, pause: second - nanosecond },
      { ...one, hash: 2002002002, threads: 8, calls: 20, pause: second - nanosecond },
    ],
    margin: 0.01,
  },
  'two equal clients, each with three queues': {
    queuing: createQueuing(8, 16, 3),
    seats: 4,
    duration: 60 * second,
    clients: [
      { ...one, hash: 400900100100, threads: 8, calls: 30, pause: second - nanosecond },
      { ...one, hash: 300900200200, threads: 8, calls: 30, pause: second - nanosecond },
    ],
    margin: 0.03,
  },
  'a client that asks more often': {
    queuing: createQueuing(9, 8, 1),
    seats: 4,
    duration: 40 * second,
    clients: [
      { ...one, threads: 8, calls: 20, pause: second },
      { ...one, hash: 2002002002, threads: 7, calls: 30, pause: second / 2 },
    ],
    margin: 0.01,
  },
  'a client that demands less than its share': {
    queuing: createQueuing(9, 6, 1),
    seats: 3,
    duration: 20 * second,
    clients: [
      { ...one, threads: 4, calls: 20, pause: second - nanosecond },
      { ...one, hash: 2002002002, threads: 2, calls: 20, pause: second - nanosecond },
    ],
    margin: 0.01,
  },
  'requests of different widths': {
    queuing: createQueuing(64, 13, 7),
    seats: 6,
    duration: 20 * second,
    clients: [
      { ...one, hash: 10010010010010, threads: 13, calls: 10, pause: second - nanosecond },
      { ...one, hash: 20020020020020, threads: 7, calls: 10, pause: second - nanosecond, initialSeats: 2 },
    ],
    margin: 0.155,
  },
  'requests that are wider than the level': {
    queuing: createQueuing(64, 35, 7),
    seats: 6,
    duration: 225 * second,
    clients: [40040040040040, 50050050050050, 60060060060060, 70070070070070, 90090090090090].map((hash, index) =>
      createClient({ hash, threads: 15, calls: 21, pause: second - nanosecond, initialSeats: index === 4 ? 7 : 2 }),
    ),
    margin: 0.33,
  },
}

describe('divides the seats fairly among', () => {
  test.each(Object.entries(scenarios))('%s', { timeout: 60_000 }, async (_name, { margin, ...scenario }) => {
    const { total, counters, queueSet } = await runUniformClients(scenario)
    for (const { average, fair } of total) expect(Math.abs(average / fair - 1)).toBeLessThanOrEqual(margin + 1e-9)
    expect(queueSet.isIdle).toBe(true)
    expect(counters).toEqual(
      scenario.clients.map(({ calls, threads }, index) => ({
        schema: `client${index}`,
        waitingRequests: 0,
        waitingSeats: 0,
        executingRequests: 0,
        seatsInUse: 0,
        dispatched: calls * threads,
        unaccommodated: expect.any(Number) as number,
        rejected: { 'queue-full': 0, 'concurrency-limit': 0, 'time-out': 0 },
      })),
    )
  })
})

test.each([0, 2])('gives every request of an exempt level its seats, with a limit of %i', async (seats) => {
  const clients = [{ ...one, threads: 5, calls: 20, pause: second, initialSeats: 3 }]
  const { total, counters } = await runUniformClients({ queuing: { type: 'exempt' }, seats, duration: 40 * second, clients })
  expect(total[0]?.average).toBeCloseTo(7.5, 6)
  expect(counters[0]?.dispatched).toBe(100)
})

test('is not fair without queues, and rejects what does not fit', async () => {
  const clients = [
    { ...one, threads: 6, calls: 10, pause: 57 },
    { ...one, hash: 2002002002, threads: 4, calls: 15, pause: 750 },
  ]
  const { total, counters } = await runUniformClients({ queuing: { type: 'reject' }, seats: 4, duration: 13 * second, clients })
  for (const { average, fair } of total) expect(Math.abs(average / fair - 1)).toBeGreaterThan(0.2)
  for (const { rejected } of counters)
    expect(rejected).toEqual({ 'queue-full': 0, 'concurrency-limit': expect.any(Number) as number, 'time-out': 0 })
  expect(counters.every(({ rejected }) => rejected['concurrency-limit'] > 0)).toBe(true)
})

/** Expected average seats with requests that keep their seats for some time: pause, additional latency, final seats, seats, clients. */
const separations: readonly (readonly [
  pause: number,
  latency: number,
  finalSeats: number,
  seats: number,
  clients: number,
  average: number,
])[] = [
  [1, 0, 1, 1, 1, 0.5],
  [1, 0, 1, 2, 1, 0.5],
  [1, 0, 2, 2, 1, 0.5],
  [1, 0, 1, 1, 2, 0.5],
  [1, 0, 1, 2, 2, 0.5],
  [1, 0, 2, 2, 2, 0.5],
  [0, 1, 1, 1, 1, 0.5],
  [0, 1, 1, 2, 1, 1],
  [0, 1, 2, 2, 1, 0.5],
  [0, 1, 1, 1, 2, 0.25],
  [0, 1, 1, 2, 2, 0.5],
  [0, 1, 2, 2, 2, 0.25],
  [1, 0.5, 1, 1, 1, 0.5],
  [1, 0.5, 1, 2, 1, 0.5],
  [1, 0.5, 2, 2, 1, 0.5],
  [1, 0.5, 1, 1, 2, 1 / 3],
  [1, 0.5, 1, 2, 2, 0.5],
  [1, 0.5, 2, 2, 2, 1 / 3],
  [0.5, 1, 1, 1, 1, 0.5],
  [0.5, 1, 1, 2, 1, 2 / 3],
  [0.5, 1, 2, 2, 1, 0.5],
  [0.5, 1, 1, 1, 2, 0.25],
  [0.5, 1, 1, 2, 2, 0.5],
  [0.5, 1, 2, 2, 2, 0.25],
]

test.each(separations)(
  'counts additional latency: pause %d s, latency %d s, final seats %i, seats %i, clients %i',
  async (pause, latency, finalSeats, seats, count, average) => {
    const clients = [1001001001, 2002002002]
      .slice(0, count)
      .map((hash) => createClient({ hash, calls: 25, pause: pause * second, additionalLatency: latency * second, finalSeats }))
    const { total } = await runUniformClients({ queuing: createQueuing(9, 8, 3), seats, duration: 24 * second, clients })
    for (const each of total) expect(each.average).toBeCloseTo(average, 6)
  },
)

test('lets a queue that could not use its share collect only a small advantage', async () => {
  const clients = [
    { ...one, threads: 2, calls: 40, pause: -nanosecond },
    { ...one, hash: 2002002002, threads: 2, calls: 40, pause: -nanosecond, isSplit: true },
  ]
  const { halves } = await runUniformClients({ queuing: createQueuing(9, 6, 1), seats: 3, duration: 40 * second, clients })
  const [first = [], secondHalf = []] = halves
  for (const { average, fair } of first) expect(Math.abs(average / fair - 1)).toBeLessThanOrEqual(0.01)
  for (const { average, fair } of secondHalf) {
    expect(Math.abs(average / fair - 1)).toBeLessThanOrEqual(0.26)
    expect(Math.abs(average / fair - 1)).toBeGreaterThan(0.1)
  }
})

test('stays fair for years', async () => {
  const quarter = 91 * 24 * 3600 * second
  const clients = [
    { ...one, threads: 8, calls: 20, execution: quarter, pause: quarter, initialSeats: 500 },
    { ...one, hash: 2002002002, threads: 7, calls: 30, execution: quarter, pause: quarter / 2, initialSeats: 500 },
  ]
  const { total, queueSet } = await runUniformClients({ queuing: createQueuing(9, 8, 1), seats: 2000, duration: 40 * quarter, clients })
  for (const { average, fair } of total) expect(Math.abs(average / fair - 1)).toBeLessThanOrEqual(0.01)
  expect(queueSet.readings.rewinds).toBeGreaterThan(1)
})

/** Four flows that together ask for twelve times the seats, and a flow with a small request twice a second. */
async function runFlood(widths: readonly number[]): Promise<UniformOutcome> {
  const flows = widths.map((initialSeats, index) =>
    createClient({ hash: 7_000_000_001 + index * 1_000_003, threads: 30, calls: 10_000, execution: 500, initialSeats }),
  )
  const quiet = createClient({ hash: 9_000_000_077, calls: 1200, execution: 20, pause: 480 })
  return runUniformClients({ queuing: createQueuing(64, 50, 6), seats: 10, duration: 600 * second, clients: [...flows, quiet] })
}

test.each([
  [1, 1, 1, 1],
  [2, 3, 4, 5],
])('starves no flow in 10 minutes: widths %i, %i, %i and %i', { timeout: 120_000 }, async (...widths) => {
  const { counters, longestWaits } = await runFlood(widths)
  expect(counters.at(-1)?.rejected).toEqual({ 'queue-full': 0, 'concurrency-limit': 0, 'time-out': 0 })
  // All waiting requests together would take 21 s if they were wide and no seat stayed free.
  for (const wait of longestWaits) expect(wait).toBeLessThan(35 * second)
})
