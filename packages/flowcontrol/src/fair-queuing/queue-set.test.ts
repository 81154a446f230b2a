import { createPathAction } from '@keelson/apimachinery'
import { createManualClock } from '@keelson/apimachinery/testing'
import type { ManualClock } from '@keelson/apimachinery/testing'
import { beforeEach, describe, expect, test } from 'vitest'
import { oneSeat } from './fair-request.ts'
import type { FairRequest, WorkEstimate } from './fair-request.ts'
import { createFlow, createFlowSchemaCounters } from './flow.ts'
import type { FlowSchemaCounters } from './flow.ts'
import { createQueueSet } from './queue-set.ts'
import type { QueueSet, QueueSetOptions, Rejection } from './queue-set.ts'

const details = { user: { name: 'alice', groups: [] }, attributes: createPathAction('get', '/version') }
const queuing = { type: 'queue', queues: 8, handSize: 2, queueLengthLimit: 2 } as const

let clock: ManualClock
let counters: FlowSchemaCounters
beforeEach(() => {
  clock = createManualClock()
  counters = createFlowSchemaCounters('schema')
})

function createLevel(options: Partial<QueueSetOptions> = {}): QueueSet {
  return createQueueSet({ name: 'level', queuing, seats: 1, clock, ...options })
}

function start(level: QueueSet, distinguisher = 'alice', estimate: WorkEstimate = oneSeat): FairRequest | Rejection {
  return level.start(createFlow(counters, distinguisher), estimate, details)
}

function startAdmitted(level: QueueSet, distinguisher?: string, estimate?: WorkEstimate): FairRequest {
  const request = start(level, distinguisher, estimate)
  if (typeof request === 'string') throw new Error(request)
  return request
}

test('admits a request at once if seats are free, and others in turn when it leaves', async () => {
  const level = createLevel()
  const first = startAdmitted(level)
  const second = startAdmitted(level)
  expect([first.isWaiting, second.isWaiting]).toEqual([false, true])
  const decided = second.waitForDecision()
  clock.advance(250)
  first.leave()
  expect([await decided, second.isWaiting, first.waited, second.waited]).toEqual([true, false, 0, 250])
  first.leave()
  expect(level.counts).toMatchObject({ executingRequests: 1, seatsInUse: 1, dispatched: 2 })
  second.leave()
  expect(level.isIdle).toBe(true)
})

test('rejects a request if its queue is full', () => {
  const level = createLevel()
  // One request executes. A hand of two queues holds four.
  const outcomes = Array.from({ length: 7 }, () => start(level))
  expect(outcomes.map((each) => typeof each === 'string')).toEqual([false, false, false, false, false, true, true])
  expect(outcomes.at(-1)).toBe('queue-full')
  expect(counters).toMatchObject({ waitingRequests: 4, rejected: { 'queue-full': 2 } })
  expect(typeof start(level, 'bob')).toBe('object')
})

test('rejects a request without queues if its seats are not free', () => {
  const level = createLevel({ queuing: { type: 'reject' }, seats: 2 })
  const first = startAdmitted(level)
  expect(start(level, 'alice', { initialSeats: 2, finalSeats: 0, additionalLatency: 0 })).toBe('concurrency-limit')
  first.leave()
  expect(startAdmitted(level).isWaiting).toBe(false)
})

test('removes a cancelled request from its queue', async () => {
  const level = createLevel()
  const first = startAdmitted(level)
  const [second, third] = [startAdmitted(level), startAdmitted(level)]
  const decided = second.waitForDecision()
  second.cancel()
  second.cancel()
  second.leave()
  expect(await decided).toBe(false)
  expect(counters).toMatchObject({ waitingRequests: 1, waitingSeats: 1, rejected: { 'time-out': 1 } })
  expect(level.counts).toMatchObject({ rejected: 1, cancelled: 1 })
  first.cancel()
  expect(counters.executingRequests).toBe(1)
  first.leave()
  expect(third.isWaiting).toBe(false)
})

test('keeps the seats of a finished request during its additional latency', async () => {
  const level = createLevel({ seats: 3 })
  const wide = startAdmitted(level, 'alice', { initialSeats: 1, finalSeats: 3, additionalLatency: 50 })
  const next = startAdmitted(level, 'bob')
  wide.leave()
  expect(level.counts).toMatchObject({ executingRequests: 0, seatsInUse: 3 })
  clock.advance(49)
  expect(next.isWaiting).toBe(true)
  clock.advance(1)
  expect(next.isWaiting).toBe(false)
})

test('lets a request that is wider than the level execute alone', () => {
  const level = createLevel({ seats: 2 })
  const first = startAdmitted(level)
  const wide = startAdmitted(level, 'bob', { initialSeats: 5, finalSeats: 0, additionalLatency: 0 })
  expect([wide.isWaiting, counters.unaccommodated]).toEqual([true, 1])
  first.leave()
  expect([wide.isWaiting, level.counts.seatsInUse]).toEqual([false, 5])
})

test('tells the decision also after it was made', async () => {
  const level = createLevel()
  const [first, second] = [startAdmitted(level), startAdmitted(level)]
  second.cancel()
  expect(await Promise.all([first.waitForDecision(), second.waitForDecision()])).toEqual([true, false])
})

test('dispatches waiting requests when it gets more seats', () => {
  const level = createLevel()
  const requests = Array.from({ length: 3 }, (_, index) => startAdmitted(level, `user${index}`))
  level.configure(queuing, 2)
  expect(requests.map(({ isWaiting }) => isWaiting)).toEqual([false, false, true])
  level.configure({ type: 'exempt' }, 0)
  expect(requests[2]?.isWaiting).toBe(true)
  expect(startAdmitted(level).isWaiting).toBe(false)
})

test('has at most 10,000 queues', () => {
  const level = createLevel({ queuing: { type: 'queue', queues: 10_000_000, queueLengthLimit: 1, handSize: 2 } })
  startAdmitted(level)
  expect(level.dump().queues).toHaveLength(10_000)
})

test('removes excess queues when their last requests leave', () => {
  const level = createLevel({ queuing: { ...queuing, handSize: 1, queueLengthLimit: 50 } })
  const requests = Array.from({ length: 40 }, (_, index) => startAdmitted(level, `user${index}`))
  level.configure({ type: 'queue', queues: 2, handSize: 1, queueLengthLimit: 50 }, 1)
  expect(level.dump().queues).toHaveLength(8)
  while (!level.isIdle) for (const request of requests) request.leave()
  expect(level.dump().queues).toHaveLength(2)
  expect(level.counts).toMatchObject({ dispatched: 40, seatsInUse: 0, waitingSeats: 0 })
})

test('refuses queuing that shuffle sharding cannot deal', () => {
  expect(() => createLevel({ queuing: { ...queuing, handSize: 9 } })).toThrow(
    'priority level level: the QueueSetConfig implies an invalid shuffle sharding config (DesiredNumQueues is deckSize): handSize 9 is greater than deckSize 8',
  )
})

describe('a response that waits for its client', () => {
  test('gives its seats back until the client reads on', () => {
    const level = createLevel()
    const slow = startAdmitted(level)
    const next = startAdmitted(level, 'bob')
    slow.begin()
    expect(next.isWaiting).toBe(false)
    expect(level.counts).toMatchObject({ executingRequests: 2, seatsInUse: 1 })
    slow.end()
    expect(level.counts).toMatchObject({ executingRequests: 2, seatsInUse: 2 })
    slow.leave()
    next.leave()
    expect([level.isIdle, counters.seatsInUse]).toEqual([true, 0])
  })

  test('counts as work of its flow only while it executes', () => {
    const level = createLevel({ queuing: { ...queuing, queues: 1, handSize: 1 } })
    const slow = startAdmitted(level)
    clock.advance(100)
    slow.begin()
    clock.advance(5000)
    slow.end()
    clock.advance(100)
    expect(level.dump().queues[0]?.executing).toHaveLength(1)
    slow.leave()
    expect(level.readings.progress).toBeCloseTo(0.2)
  })

  test('may leave while its seats are given back', () => {
    const level = createLevel({ queuing: { type: 'reject' } })
    const slow = startAdmitted(level, 'alice', { initialSeats: 1, finalSeats: 1, additionalLatency: 10 })
    slow.begin()
    slow.begin()
    expect(level.dump().queuelessRequests).toHaveLength(1)
    expect(level.counts.seatsInUse).toBe(0)
    slow.leave()
    slow.end()
    expect(level.counts).toMatchObject({ executingRequests: 0, seatsInUse: 1 })
    clock.advance(10)
    expect(level.counts).toMatchObject({ executingRequests: 0, seatsInUse: 0 })
    expect(level.dump().queuelessRequests).toEqual([])
  })
})

test('reports measurements of each request', () => {
  const reports: unknown[] = []
  const level = createLevel({
    observer: {
      recordQueueLength: (_counters, length) => reports.push(['enqueued', length]),
      recordWait: (_counters, milliseconds, isExecuted) => reports.push(['waited', milliseconds, isExecuted]),
      recordExecution: (_counters, milliseconds) => reports.push(['executed', milliseconds]),
      recordCounts: (now, { seatsInUse, waitingSeats }) => reports.push([now - 1_700_000_000_000, seatsInUse, waitingSeats]),
      handleIdle: () => reports.push(['idle']),
    },
  })
  const first = startAdmitted(level)
  const second = startAdmitted(level, 'bob')
  clock.advance(20)
  first.leave()
  clock.advance(5)
  second.leave()
  expect(reports).toEqual([
    [0, 0, 0],
    ['enqueued', 1],
    ['waited', 0, true],
    [0, 1, 0],
    ['enqueued', 1],
    [0, 1, 1],
    ['executed', 20],
    ['waited', 20, true],
    [20, 1, 0],
    ['executed', 5],
    [25, 0, 0],
    ['idle'],
  ])
})

test('shows its state', () => {
  const level = createLevel({ seats: 1, queuing: { ...queuing, queues: 1, handSize: 1 } })
  startAdmitted(level)
  clock.advance(10)
  startAdmitted(level, 'bob', { initialSeats: 2, finalSeats: 1, additionalLatency: 5 })
  const common = { schema: 'schema', ...details }
  const at = 1_700_000_000_000
  expect(level.dump()).toEqual({
    queuelessRequests: [],
    queues: [
      {
        waiting: [
          {
            ...common,
            distinguisher: 'bob',
            arrivedAt: at + 10,
            startedAt: undefined,
            initialSeats: 2,
            finalSeats: 1,
            additionalLatency: 5,
          },
        ],
        executing: [
          { ...common, distinguisher: 'alice', arrivedAt: at, startedAt: at, initialSeats: 1, finalSeats: 0, additionalLatency: 0 },
        ],
        seatsInUse: 1,
        nextDispatch: '0.01000000ss',
        initialSeats: 2,
        maxSeats: 2,
        totalWork: '0.01100000ss',
      },
    ],
  })
})
