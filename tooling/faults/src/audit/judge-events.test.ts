import { expect, it } from 'vitest'
import type { AnsweredRequest } from './audited-load.ts'
import { findGaps, findWrongEvents, parseLog } from './judge-events.ts'
import type { RecordedEvent } from './judge-events.ts'

const answer = (id: string, sent: number): AnsweredRequest => ({ id, status: 200, body: '', sent, answered: sent + 1 })
const list = (id: string, code = 200): RecordedEvent[] => [
  { auditID: id, stage: 'RequestReceived' },
  { auditID: id, stage: 'ResponseComplete', responseStatus: { code } },
]

it('accepts the events of all answered requests, and of others', () => {
  expect(findWrongEvents([...list('a'), ...list('b')], [answer('a', 1)])).toEqual([])
})

it.each<[string, readonly RecordedEvent[]]>([
  ['a: the event of its response is lost', list('a').slice(0, 1)],
  ['a: the event of its arrival is lost', list('a').slice(1)],
  ['a: got 200, but its event has 201', list('a', 201)],
  ['a RequestReceived is recorded twice', [...list('a'), ...list('a').slice(0, 1)]],
])('finds: %s', (problem, events) => {
  expect(findWrongEvents(events, [answer('a', 1)])).toEqual([problem])
})

it('finds lost events before recorded ones', () => {
  const answered = [answer('a', 1), answer('b', 5), answer('c', 9)]
  expect(findGaps(list('b'), answered)).toEqual(['a is lost, later events are not'])
  expect(findGaps([...list('a'), ...list('b')], answered)).toEqual([])
})

it('accepts an incomplete line only at the end, and only after a kill', () => {
  expect(parseLog('{"a":1}\n{"b', true)).toEqual([{ a: 1 }])
  expect(() => parseLog('{"a":1}\n{"b', false)).toThrow('ends with an incomplete line')
  expect(() => parseLog('{"a\n{}\n', true)).toThrow('invalid line')
})
