import { Exchange } from '@keelson/exchange'
import type { Incoming, Outgoing } from '@keelson/exchange'
import { expect, test } from 'vitest'
import { createRequestTracer } from './request-tracer.ts'

function openExchange(headers: Readonly<Record<string, string>> = {}): Exchange {
  const incoming = { method: 'GET', url: '/api/v1/namespaces/default/pods/a', headers, httpVersion: '1.1', socket: {} }
  return new Exchange(incoming as unknown as Incoming, { on: () => {}, statusCode: 200 } as unknown as Outgoing, {})
}

test('records nothing by default', () => {
  const tracer = createRequestTracer({})
  expect(tracer.start(openExchange())).toBeUndefined()
  expect(tracer.receive(openExchange())).toBeUndefined()
  expect(tracer.startStep('Call Audit Events webhook')).toBeUndefined()
})

test('passes the trace context of a request on, although nothing is recorded', () => {
  const context = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', tracestate: 'a=1', baggage: 'b=2' }
  const span = createRequestTracer({}).receive(openExchange({ ...context, other: 'x' }))
  const call = span!.startPhase('authorization').startChild('Get').startCall({ name: 'HTTP POST', protocol: 'http' })
  expect(call.headers).toEqual(context)
})

test('does not pass an invalid trace context on', () => {
  const traceparent = '00-00000000000000000000000000000000-b7ad6b7169203331-01'
  expect(createRequestTracer({}).receive(openExchange({ traceparent, tracestate: 'a=1' }))).toBeUndefined()
})

test('logs slow steps without a collector', () => {
  const texts: string[] = []
  const tracer = createRequestTracer({ log: { isEnabled: () => true, isDetailed: () => true, write: (text) => texts.push(text) } })
  const span = tracer.receive(openExchange())!
  const get = span.startPhase('audit').startPhase('authorization').startChild('Get', { name: 'a' })
  get.addEvent('About to Get from storage')
  get.end(0)
  expect(texts).toHaveLength(1)
  expect(texts[0]).toMatch(/^Trace\[\d+\]: "Get" name:a [\s\S]*---"About to Get from storage"/)
})
