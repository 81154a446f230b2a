import { expect, it, vi } from 'vitest'
import { createManualClock } from '@keelson/apimachinery/testing'
import type { OutboundAnswer, OutboundRequest } from '@keelson/outbound'
import { createEvent } from '../event.fixture.ts'
import type { EventTemplate } from '../events/event-template.ts'
import { createTruncatingBackend, createUnionBackend } from './backend.ts'
import type { AuditBackend, ReportLoss } from './backend.ts'
import { createLogBackend } from './log-backend.ts'
import type { AuditMode } from './log-backend.ts'
import type { LineWriter } from './log-file.ts'
import { createWebhookBackend } from './webhook-backend.ts'
import type { BatchLimits } from './webhook-backend.ts'

const awaitTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
const settle = async (): Promise<void> => {
  for (let i = 0; i < 20; i++) await awaitTurn()
}

/** A writer whose writes end when the test wants it. */
function createSlowWriter() {
  const writes: string[][] = []
  let finish: ((failures: ReadonlyMap<number, Error>) => void) | undefined
  const writer: LineWriter = {
    write: (bytes, ends) => {
      writes.push(ends.map((end, i) => bytes.toString('utf8', ends[i - 1] ?? 0, end)))
      return new Promise((resolve) => (finish = resolve))
    },
    close: () => Promise.resolve(),
  }
  return {
    writer,
    writes,
    finish: async (failures: ReadonlyMap<number, Error> = new Map()): Promise<void> => {
      finish!(failures)
      await settle()
    },
  }
}

function createLog(mode: AuditMode, bufferSize = 100) {
  const slow = createSlowWriter()
  const report = vi.fn()
  const clock = createManualClock()
  const backend = createLogBackend({ writer: slow.writer, mode, format: 'json', bufferSize, report, clock })
  return { ...slow, report, clock, backend }
}

it('writes the events that arrive during a write together', async () => {
  const { backend, writes, finish } = createLog('blocking')
  const stored: string[] = []
  for (const auditId of ['a', 'b']) void backend.process(createEvent({ auditId }))!.then(() => stored.push(auditId))
  await settle()
  for (const auditId of ['c', 'd']) void backend.process(createEvent({ auditId }))!.then(() => stored.push(auditId))
  await settle()
  expect([writes.length, stored]).toEqual([1, []])
  await finish()
  expect([writes.length, stored]).toEqual([2, ['a', 'b']])
  await finish()
  expect(stored).toEqual(['a', 'b', 'c', 'd'])
  expect(writes.map((lines) => lines.length)).toEqual([2, 2])
  expect(JSON.parse(writes[0]![0]!)).toMatchObject({ kind: 'Event', auditID: 'a' })
})

it.each([
  ['blocking', true],
  ['blocking-strict', false],
] as const)('reports lost events, and in mode %s resolves with %s', async (mode, expected) => {
  const { backend, finish, report } = createLog(mode)
  const stored = backend.process(createEvent())
  await settle()
  await finish(new Map([[0, new Error('disk full')]]))
  expect(await stored).toBe(expected)
  expect(report).toHaveBeenCalledExactlyOnceWith('log', new Error('disk full'), expect.objectContaining({ count: 1 }))
})

it('never lets requests wait in mode batch, and drops events beyond its bound', async () => {
  const { backend, finish, writes, report, clock } = createLog('batch', 4)
  expect(backend.process(createEvent())).toBeUndefined()
  clock.advance(50)
  await settle()
  for (let i = 0; i < 5; i++) expect(backend.process(createEvent())).toBeUndefined()
  expect(report).toHaveBeenCalledExactlyOnceWith('buffered', new Error('audit buffer queue blocked'), expect.objectContaining({ count: 1 }))
  await finish()
  const closing = backend.close()
  await finish()
  await closing
  expect(writes.flat().length).toBe(5)
})

const keep = (): AuditBackend & { readonly sizes: number[] } => {
  const sizes: number[] = []
  return { sizes, process: (event) => void sizes.push(event.line.length), close: () => Promise.resolve() }
}

it('truncates large events, and drops those that stay too large', () => {
  const recording = keep()
  const report = vi.fn()
  const backend = createTruncatingBackend(recording, { maxEventSize: 700 }, report)
  void backend.process(createEvent())
  void backend.process(createEvent({ level: 'Request', requestObject: `"${'x'.repeat(1000)}"` }))
  expect(recording.sizes.length).toBe(2)
  void backend.process(createEvent({ userAgent: 'x'.repeat(1000) }))
  void backend.process(createEvent({ level: 'Request', userAgent: 'x'.repeat(1000) }))
  expect(recording.sizes.length).toBe(2)
  expect(report).toHaveBeenCalledTimes(2)
})

it('stores an event in all backends', async () => {
  const [a, b] = [createLog('blocking'), createLog('blocking-strict')]
  const stored = createUnionBackend([a.backend, b.backend]).process(createEvent())
  await settle()
  await a.finish()
  await b.finish(new Map([[0, new Error('no')]]))
  expect(await stored).toBe(false)
})

const batch: BatchLimits = { bufferSize: 10, maxBatchSize: 4, maxBatchWaitMs: 1000, throttle: undefined }

function createHook(mode: AuditMode, limits: Partial<BatchLimits> = {}) {
  const clock = createManualClock()
  const answers: (OutboundAnswer | undefined)[] = []
  const bodies: { items: { auditID: string }[] }[] = []
  const client = {
    request: async ({ body }: OutboundRequest): Promise<OutboundAnswer> => {
      bodies.push(JSON.parse(String(body)) as { items: { auditID: string }[] })
      return answers.shift() ?? { failed: false, status: 200, headers: {}, body: Buffer.alloc(0) }
    },
  }
  const report = vi.fn()
  const backend = createWebhookBackend({
    webhook: { client, headers: async () => ({ authorization: 'Bearer x' }), retryBackoffMs: 10, clock, [Symbol.dispose]: () => {} },
    mode,
    batch: { ...batch, ...limits },
    report,
  })
  return { backend, clock, bodies, answers, report }
}
const refused: OutboundAnswer = { failed: false, status: 500, headers: {}, body: Buffer.from('no') }

it('sends a full batch at once, and others after a time', async () => {
  const { backend, bodies, clock } = createHook('batch')
  for (let i = 0; i < 6; i++) void backend.process(createEvent({ auditId: String(i) }))
  await settle()
  expect(bodies.map(({ items }) => items.length)).toEqual([4])
  expect(bodies[0]).toMatchObject({ kind: 'EventList', apiVersion: 'audit.k8s.io/v1', metadata: {} })
  clock.advance(1000)
  await settle()
  expect(bodies.map(({ items }) => items.map(({ auditID }) => auditID).join(''))).toEqual(['0123', '45'])
})

it('tries five times after any error, then reports the events', async () => {
  const { backend, bodies, answers, clock, report } = createHook('blocking-strict')
  answers.push(refused, refused, refused, refused, refused)
  const stored = backend.process(createEvent())
  for (let i = 0; i < 10; i++) {
    await settle()
    clock.advance(1000)
  }
  expect(await stored).toBe(false)
  expect(bodies.length).toBe(5)
  expect(report).toHaveBeenCalledExactlyOnceWith('webhook', expect.anything(), expect.objectContaining({ count: 1 }))
})

it('limits the rate, and drops events beyond its bound', async () => {
  const { backend, bodies, clock, report } = createHook('batch', { maxBatchSize: 1, bufferSize: 3, throttle: { qps: 1, burst: 2 } })
  for (let i = 0; i < 8; i++) {
    void backend.process(createEvent())
    await settle()
  }
  // Two in the burst, one that waits for its turn, three in the buffer.
  expect([bodies.length, report.mock.calls.length]).toEqual([2, 2])
  for (let i = 0; i < 10; i++) {
    clock.advance(1000)
    await settle()
  }
  expect(bodies.length).toBe(6)
})

it('sends what waits when it closes', async () => {
  const { backend, bodies } = createHook('batch')
  void backend.process(createEvent())
  await settle()
  await backend.close()
  expect(bodies.length).toBe(1)
})

it.each(['log', 'webhook'] as const)('bounds the memory of the %s in mode batch', async (name) => {
  const requestObject = JSON.stringify('x'.repeat(20 * 2 ** 20))
  const { backend, report } = name === 'log' ? createLog('batch', 1000) : createHook('batch', { bufferSize: 1000, maxBatchSize: 500 })
  for (let i = 0; i < 9; i++) void backend.process(createEvent({ level: 'Request', requestObject }))
  // Seven events have more than 128 MiB.
  expect(report).toHaveBeenCalledTimes(2)
  const [plugin, , lost] = report.mock.calls[0] as Parameters<ReportLoss>
  expect([plugin, lost.describe(0).includes('uri="/api/v1/namespaces/default/pods/a"'), lost.describe(0).length < 1000]).toEqual([
    'buffered',
    true,
    true,
  ])
})

it('has room again when events are sent', async () => {
  const requestObject = JSON.stringify('x'.repeat(70 * 2 ** 20))
  const { backend, report, bodies } = createHook('batch', { maxBatchSize: 1 })
  for (let i = 0; i < 3; i++) void backend.process(createEvent({ level: 'Request', requestObject }))
  expect(report).toHaveBeenCalledTimes(1)
  await settle()
  void backend.process(createEvent())
  await settle()
  expect([report.mock.calls.length, bodies.length]).toEqual([1, 3])
})

it('writes what waits in pieces of at most 1 MiB, in order', async () => {
  const { backend, finish, writes, clock } = createLog('batch', 100_000)
  void backend.process(createEvent())
  clock.advance(1000)
  await settle()
  const ids = Array.from({ length: 4000 }, (_, i) => `${i}`)
  const templates: EventTemplate[] = []
  for (const auditId of ids) {
    void backend.process(createEvent({ auditId, userAgent: 'x'.repeat(800) }))
    void backend.process(createEvent({ auditId: auditId.padStart(36, '-'), templates }))
  }
  for (let i = 0; i < 10; i++) {
    await finish()
    clock.advance(1000)
    await settle()
  }
  const sizes = writes.map((lines) => lines.reduce((size, line) => size + Buffer.byteLength(line), 0))
  expect(Math.max(...sizes)).toBeLessThanOrEqual(2 ** 20)
  expect(sizes.length).toBeGreaterThan(4)
  const stored = writes.flat().map((line) => (JSON.parse(line) as { auditID: string }).auditID)
  expect(stored).toEqual(['id-1', ...ids.flatMap((id) => [id, id.padStart(36, '-')])])
})

it.each(['log', 'webhook'] as const)('lets events wait for room in the %s in mode blocking, and loses none', async (name) => {
  const log = createLog('blocking')
  const hook = createHook('blocking')
  const { backend, report } = name === 'log' ? log : hook
  let stored = 0
  const requestObject = JSON.stringify('x'.repeat(20 * 2 ** 20))
  const events = Array.from({ length: 9 }, () => createEvent({ level: 'Request', requestObject }))
  const encoded = events.map((event) => vi.spyOn(event, name === 'log' ? 'line' : 'members', 'get'))
  for (const event of events) void backend.process(event)!.then(() => stored++)
  // Seven events have more than 128 MiB.
  expect(encoded.map((get) => get.mock.calls.length)).toEqual([1, 1, 1, 1, 1, 1, 1, 0, 0])
  await settle()
  for (let i = 0; name === 'log' && i < 9; i++) await log.finish()
  await settle()
  expect([stored, report.mock.calls.length]).toEqual([9, 0])
  expect(name === 'log' ? log.writes.length : hook.bodies.length).toBe(9)
})
