import { assert, double, property } from 'fast-check'
import { formatMicroTime } from '@keelson/apimachinery'
import { expect, it } from 'vitest'
import { LineBuffer } from '../backends/line-buffer.ts'
import { createEvent } from '../event.fixture.ts'
import type { AuditEvent } from './audit-event.ts'
import type { EventTemplate } from './event-template.ts'
import { microTimeLength, MicroTimeDigits } from './micro-time.ts'

const annotations = { 'authorization.k8s.io/decision': 'allow' }
const status = { code: 200 }

function copyLine(event: AuditEvent, template: EventTemplate): string {
  const buffer = new LineBuffer()
  buffer.add('first\n')
  buffer.addCopy(event, template)
  return buffer.getLine(1)
}

it.each(['RequestReceived', 'ResponseComplete'] as const)('copies the line of %s with another id and other times', (stage) => {
  const templates: EventTemplate[] = []
  const shared = { stage, status, annotations, templates, userAgent: 'ü', requestUri: '/é', objectRef: '{"name":"b"}' }
  const first = createEvent({ ...shared, auditId: crypto.randomUUID() })
  expect(copyLine(first, first.template!)).toBe(`${first.line}\n`)
  const second = createEvent({ ...shared, auditId: crypto.randomUUID(), received: 1_893_456_000_000, reached: 1_893_456_061_999.999 })
  expect(second.template).toBe(first.template)
  expect(copyLine(second, second.template!)).toBe(`${second.line}\n`)
})

it('makes another template for events that differ in other members', () => {
  const templates: EventTemplate[] = []
  const shared = { status, annotations, templates, auditId: crypto.randomUUID() }
  const { template } = createEvent(shared)
  const others = [
    createEvent({ ...shared, status: { code: 404 } }),
    createEvent({ ...shared, annotations: { ...annotations } }),
    createEvent({ ...shared, objectRef: '{"name":"c"}' }),
    createEvent({ ...shared, level: 'Request' }),
    createEvent({ ...shared, stage: 'RequestReceived' }),
  ]
  for (const event of others) {
    expect(event.template).not.toBe(template)
    expect(copyLine(event, event.template!)).toBe(`${event.line}\n`)
  }
  expect(templates.length).toBe(3)
})

it('has no template for ids of another length, for long lines, and for events that are not repeated', () => {
  const templates: EventTemplate[] = []
  expect(createEvent({ templates, auditId: 'x' }).template).toBeUndefined()
  expect(createEvent({ templates, auditId: crypto.randomUUID(), userAgent: 'x'.repeat(5000) }).template).toBeUndefined()
  expect(createEvent({ auditId: crypto.randomUUID() }).template).toBeUndefined()
  expect(templates.length).toBe(0)
})

it('writes times like their texts', () => {
  const line = Buffer.from(` ${formatMicroTime(0)}`)
  const digits = new MicroTimeDigits(line, 1)
  const time = double({ min: 0, max: 4e12, noNaN: true })
  assert(
    property(time, (milliseconds) => {
      const micros = digits.setSecond(milliseconds)
      const copy = Buffer.concat([Buffer.from('ab'), line])
      digits.writeFraction(copy, 2, micros)
      expect(copy.toString('latin1', 3, 3 + microTimeLength)).toBe(formatMicroTime(milliseconds))
    }),
  )
})
