import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { startCollector } from './collector.fixture.ts'
import { openSpanSource } from './open-span-source.ts'
import type { SpanSource } from './exported-span.ts'

const traceId = '0af7651916cd43dd8448eb211c80319c'
const sampledContext = { traceparent: `00-${traceId}-b7ad6b7169203331-01`, tracestate: 'vendor=1', baggage: 'tenant=a' }
const everything = 1_000_000

function open(endpoint: string, samplingRatePerMillion = everything, errors: Error[] = []): Promise<SpanSource> {
  return openSpanSource({
    configuration: { endpoint, samplingRatePerMillion },
    instanceId: 'apiserver-test',
    onExportError: (error) => errors.push(error),
  })
}

test('sends spans with their attributes and events to the collector', async () => {
  await using collector = await startCollector()
  const source = await open(collector.endpoint)
  const parent = source.startRoot({ name: 'authentication', scope: 'phases' })
  const span = source.startReceived(
    { name: 'GET /api/v1/pods', scope: 'http', kind: 'server', attributes: { 'http.request.method': 'GET' } },
    { headers: {}, isTrusted: true, parent },
  )
  const step = span.startChild({ name: 'List', scope: 'steps', attributes: () => ({ resource: 'pods' }) })
  step.addEvent('Listed items from cache', { count: 3 })
  step.recordError(new Error('a problem'))
  step.end()
  span.end()
  parent.end()
  await source.shutdown()
  for (const text of ['apiserver-test', 'service.name', 'GET /api/v1/pods', 'resource', 'Listed items from cache', 'a problem'])
    expect(collector.readReceived()).toContain(text)
  expect(collector.readReceived()).toContain('k8s.io/component-base/tracing')
})

test('sends nothing if no request is sampled', async () => {
  await using collector = await startCollector()
  const source = await open(collector.endpoint, 0)
  const parent = source.startRoot({ name: 'authentication', scope: 'phases' })
  source.startReceived({ name: 'GET', scope: 'http' }, { headers: sampledContext, isTrusted: false, parent }).end()
  parent.end()
  await source.shutdown()
  expect(collector.requests()).toBe(0)
})

test("a trusted client's sampled trace is recorded although no others are", async () => {
  await using collector = await startCollector()
  const source = await open(collector.endpoint, 0)
  const parent = source.startRoot({ name: 'authentication', scope: 'phases' })
  const span = source.startReceived({ name: 'GET', scope: 'http' }, { headers: sampledContext, isTrusted: true, parent })
  expect(span.createHeaders()).toMatchObject({
    traceparent: expect.stringMatching(`^00-${traceId}-[0-9a-f]{16}-01$`),
    tracestate: 'vendor=1',
    baggage: 'tenant=a',
  })
  span.end()
  await source.shutdown()
  expect(collector.readReceived()).toContain(Buffer.from(traceId, 'hex').toString('latin1'))
})

test('a trusted client can exclude its request', async () => {
  await using collector = await startCollector()
  const source = await open(collector.endpoint)
  const parent = source.startRoot({ name: 'authentication', scope: 'phases' })
  const headers = { traceparent: `00-${traceId}-b7ad6b7169203331-00` }
  const span = source.startReceived({ name: 'GET', scope: 'http' }, { headers, isTrusted: true, parent })
  expect(span.createHeaders()['traceparent']).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-00$`))
  span.startChild({ name: 'List', scope: 'steps' }).end()
  span.end()
  await source.shutdown()
  expect(collector.requests()).toBe(0)
})

test("an untrusted client's trace is not continued", async () => {
  await using collector = await startCollector()
  const source = await open(collector.endpoint)
  const parent = source.startRoot({ name: 'authentication', scope: 'phases' })
  const span = source.startReceived({ name: 'GET', scope: 'http' }, { headers: sampledContext, isTrusted: false, parent })
  expect(span.createHeaders()['traceparent']).not.toContain(traceId)
  span.end()
  await source.shutdown()
  // The client's trace is a link of the new one.
  expect(collector.readReceived()).toContain(Buffer.from(traceId, 'hex').toString('latin1'))
})

test('connects through a given connection', async () => {
  await using collector = await startCollector()
  const port = Number(collector.endpoint.split(':')[1])
  const destinations: unknown[] = []
  const source = await openSpanSource({
    configuration: { endpoint: 'collector.example.com:4317', samplingRatePerMillion: everything },
    instanceId: 'apiserver-test',
    connect(destination) {
      destinations.push(destination)
      return Promise.resolve(connect(port, '127.0.0.1'))
    },
    onExportError: () => {},
  })
  source.startRoot({ name: 'authentication', scope: 'phases' }).end()
  await source.shutdown()
  expect(destinations).toEqual([{ host: 'collector.example.com', port: 4317 }])
  expect(collector.requests()).toBe(1)
})

test('connects to a Unix socket', async () => {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'collector-'))
  try {
    const socket = path.join(directory, 'socket')
    await using collector = await startCollector(socket)
    const source = await open(collector.endpoint)
    source.startRoot({ name: 'authentication', scope: 'phases' }).end()
    await source.shutdown()
    expect(collector.requests()).toBe(1)
  } finally {
    await rm(directory, { recursive: true })
  }
})

test('spans are dropped once 2,048 of them wait for a batch of 128', async () => {
  await using collector = await startCollector()
  const source = await open(collector.endpoint)
  for (let i = 0; i < 5000; i++) source.startRoot({ name: 'waiting-span', scope: 'phases' }).end()
  await source.shutdown()
  expect(collector.readReceived().split('waiting-span').length - 1).toBe(2048 + 128)
}, 60_000)

test('an absent collector is reported, and does not slow requests down', async () => {
  const errors: Error[] = []
  const source = await open('127.0.0.1:1', everything, errors)
  const startTime = performance.now()
  for (let i = 0; i < 20_000; i++) source.startRoot({ name: 'authentication', scope: 'phases' }).end()
  expect(performance.now() - startTime).toBeLessThan(5000)
  await source.shutdown()
  expect(errors.length).toBeGreaterThan(0)
}, 60_000)
