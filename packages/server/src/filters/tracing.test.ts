import type { CallSpan, Span } from '@keelson/apimachinery'
import type { RequestTracer } from '@keelson/tracing'
import { expect, test } from 'vitest'
import { openTestExchange } from './exchange.fixture.ts'
import { traceAuthentication, tracePhase, traceRequest } from './tracing.ts'

class TestSpan implements Span {
  readonly auditId = 'id'
  readonly #path: string
  readonly #ended: string[]

  constructor(path: string, ended: string[]) {
    this.#path = path
    this.#ended = ended
  }

  startChild(name: string): Span {
    return new TestSpan(`${this.#path}/${name}`, this.#ended)
  }

  startPhase(name: string): Span {
    return this.startChild(name)
  }

  startCall(): CallSpan {
    throw new Error('not called')
  }

  addEvent(): void {}
  recordError(): void {}

  end(): void {
    this.#ended.push(this.#path)
  }
}

function createTracer(ended: string[]): RequestTracer {
  return {
    start: () => new TestSpan('authentication', ended),
    receive: () => new TestSpan('request', ended),
    startStep: () => undefined,
    shutdown: () => Promise.resolve(),
  }
}

test('phases are inside of each other, and end with the request', () => {
  const ended: string[] = []
  const tracer = createTracer(ended)
  const { exchange } = openTestExchange()
  const filters = [
    traceAuthentication(tracer),
    traceRequest(tracer),
    tracePhase(tracer, 'audit', undefined),
    tracePhase(tracer, 'authorization', () => 'answered'),
  ]
  expect(filters.map((filter) => filter!(exchange))).toEqual([undefined, undefined, undefined, 'answered'])
  expect(ended).toEqual([])
  exchange.end()
  expect(ended).toEqual(['request/audit/authorization', 'request/audit', 'authentication'])
})

test('a request without a span passes', () => {
  const tracer: RequestTracer = { ...createTracer([]), start: () => undefined, receive: () => undefined }
  const { exchange } = openTestExchange()
  expect([traceAuthentication(tracer)!(exchange), traceRequest(tracer)!(exchange)]).toEqual([undefined, undefined])
  expect(tracePhase(tracer, 'authorization', () => 'answered')!(exchange)).toBe('answered')
  expect(exchange.span).toBeUndefined()
})

test('without a tracer there are no additional filters', () => {
  const filter = (): void => {}
  expect(tracePhase(undefined, 'authorization', filter)).toBe(filter)
  expect([traceAuthentication(undefined), traceRequest(undefined), tracePhase(undefined, 'audit', undefined)]).toEqual([
    undefined,
    undefined,
    undefined,
  ])
})
