import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openTestExchange } from './exchange.fixture.ts'
import { limitFlow } from './flow-control.ts'
import type { ControlledRequest, FlowControl } from './flow-control.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

/** A request that runs or waits, and records its end. */
class TestRequest implements ControlledRequest {
  readonly waited = 7
  readonly ends: string[] = []
  isWaiting: boolean
  decide: (isRunning: boolean) => void = () => {}

  constructor(isWaiting: boolean) {
    this.isWaiting = isWaiting
  }

  waitForDecision(): Promise<boolean> {
    return new Promise((resolve) => (this.decide = resolve))
  }

  cancel(): void {
    if (!this.isWaiting) return
    this.isWaiting = false
    this.ends.push('cancelled')
    this.decide(false)
  }

  /** Lets the request run after it has waited. */
  dispatch(): void {
    this.isWaiting = false
    this.decide(true)
  }

  leave(): void {
    this.ends.push('left')
  }

  begin(): void {}
  end(): void {}
}

function openFilter(request: TestRequest | string) {
  const concurrency = { waiting: { readOnly: 0, mutating: 0 }, executing: { readOnly: 0, mutating: 0 } }
  const watches = { open: 0 }
  const control: FlowControl = {
    classify: () => ({ headers: ['X-Flow', 'a'], schemaName: 's'.repeat(70), levelName: 'level' }),
    start: (_exchange, _target, onEstimated) => {
      onEstimated?.({ initialSeats: 2, finalSeats: 3, additionalLatency: 5 })
      return request
    },
    countRejected: () => 3,
    watches: {
      add: () => {
        watches.open++
        return () => void watches.open--
      },
    },
    metrics: { setConcurrency: (phase, kind, requests) => void (concurrency[phase][kind] = requests) },
  }
  const dropped: unknown[] = []
  const inQueue = { readOnly: { value: 0 }, mutating: { value: 0 } }
  const inFlight = { readOnly: { value: 0 }, mutating: { value: 0 } }
  const filter = limitFlow(control, {
    metrics: { countDrop: (exchange) => void dropped.push(exchange), inFlight, createQueueGauges: () => inQueue },
    requestTimeoutMs: 60_000,
  })
  return { filter, concurrency, dropped, inFlight, watches }
}

test('a request with free seats passes without a promise, and leaves when it ends', () => {
  const request = new TestRequest(false)
  const { filter, inFlight, concurrency } = openFilter(request)
  const { exchange } = openTestExchange('/api/v1/pods', { method: 'POST' })
  expect(filter(exchange)).toBeUndefined()
  expect([exchange.commonHeaders, exchange.clientWait]).toEqual([['X-Flow', 'a'], request])
  expect([inFlight.mutating.value, concurrency.executing.mutating]).toEqual([1, 1])
  exchange.end()
  expect([request.ends, inFlight.mutating.value]).toEqual([['left'], 0])
})

test.each([
  ['get', {}],
  ['watch', { apf_init_latency: expect.stringMatching(/s$/) as string }],
])('the log record of a %s has its seats and times', (verb, more) => {
  const { exchange } = openTestExchange(verb === 'watch' ? '/api/v1/pods?watch=1' : '/api/v1/pods')
  exchange.logFields = {}
  expect(openFilter(new TestRequest(false)).filter(exchange)).toBeUndefined()
  const estimated = { apf_pl: 'level', apf_fs: 's'.repeat(64), apf_iseats: 2, apf_fseats: 3, apf_additionalLatency: '5ms' }
  expect(exchange.logFields).toEqual(estimated)
  exchange.watchInitialized?.()
  exchange.end()
  expect(exchange.logFields).toEqual({ ...estimated, ...more, apf_execution_time: expect.stringMatching(/s$/) as string })
})

test('a rejected request gets 429 as plain text', async () => {
  const { filter, dropped } = openFilter('queue-full')
  const { exchange, response } = openTestExchange()
  expect(filter(exchange)).toBe('answered')
  const answer = await response
  expect([answer.status, answer.headers.get('retry-after'), answer.headers.get('x-flow')]).toEqual([429, '3', 'a'])
  expect(await answer.text()).toBe('Too many requests, please try again later.\n')
  expect(dropped).toEqual([exchange])
})

test('a queued request runs in its turn', async () => {
  const request = new TestRequest(true)
  const { filter, concurrency } = openFilter(request)
  const { exchange } = openTestExchange()
  const latencies: unknown[] = []
  exchange.addLatency = (...latency) => void latencies.push(latency)
  const passing = filter(exchange)
  expect(concurrency.waiting.readOnly).toBe(1)
  request.dispatch()
  expect(await passing).toBeUndefined()
  expect([concurrency.waiting.readOnly, concurrency.executing.readOnly]).toEqual([0, 1])
  expect([latencies, exchange.excludedMs]).toEqual([[['apf-queue-wait', 7]], 7])
  exchange.end()
  expect(request.ends).toEqual(['left'])
})

test.each([
  ['a quarter of the server timeout', undefined, 15_000],
  ['a quarter of its own timeout', 8000, 2000],
  ['a minute', 600_000, 60_000],
])('a request leaves its queue after %s', async (_title, timeout, milliseconds) => {
  const request = new TestRequest(true)
  const { filter } = openFilter(request)
  const { exchange, response } = openTestExchange()
  if (timeout !== undefined) exchange.deadline = exchange.started + timeout
  const passing = filter(exchange)
  vi.advanceTimersByTime(milliseconds - 500)
  expect(request.ends).toEqual([])
  vi.advanceTimersByTime(500)
  expect([request.ends, await passing, (await response).status]).toEqual([['cancelled'], 'answered', 429])
})

test('a request whose client has disconnected is not queued', () => {
  const request = new TestRequest(true)
  const { filter, concurrency } = openFilter(request)
  const { exchange, response } = openTestExchange()
  response.catch(() => {})
  exchange.outgoing.destroy()
  expect(filter(exchange)).toBe('answered')
  expect(concurrency.waiting).toEqual({ readOnly: 0, mutating: 0 })
})

test('a request leaves its queue when it ends, and when its client disconnects', async () => {
  const request = new TestRequest(true)
  const { exchange } = openTestExchange()
  const passing = openFilter(request).filter(exchange)
  exchange.end()
  expect([request.ends, await passing]).toEqual([['cancelled'], 'answered'])

  const second = new TestRequest(true)
  const { exchange: closing, response } = openTestExchange()
  response.catch(() => {})
  const waiting = openFilter(second).filter(closing)
  closing.outgoing.destroy()
  expect(await waiting).toBe('answered')
  expect(second.ends).toEqual(['cancelled'])
})

test('a watch counts until it is initialized or ends, and is registered until it ends', () => {
  const request = new TestRequest(false)
  const { filter, watches, inFlight } = openFilter(request)
  const { exchange } = openTestExchange('/api/v1/pods?watch=1')
  exchange.isLongRunning = true
  expect(filter(exchange)).toBeUndefined()
  expect([watches.open, inFlight.readOnly.value, exchange.clientWait]).toEqual([1, 1, undefined])
  exchange.watchInitialized!()
  expect([request.ends, watches.open, inFlight.readOnly.value]).toEqual([['left'], 1, 0])
  exchange.end()
  expect([request.ends, watches.open, inFlight.readOnly.value]).toEqual([['left'], 0, 0])
})

test('other long-running requests are not limited', () => {
  const { exchange } = openTestExchange('/api/v1/namespaces/ns/pods/a/log')
  exchange.isLongRunning = true
  expect(openFilter('queue-full').filter(exchange)).toBeUndefined()
  expect(exchange.commonHeaders).toEqual([])
})
