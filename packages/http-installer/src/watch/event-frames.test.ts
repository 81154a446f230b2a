import { expect, test } from 'vitest'
import { encodeHttpChunk, SharedFrames } from './event-frames.ts'

const frame = (text: string) => (): Buffer => Buffer.from(text)
const [a, b, c] = [{}, {}, {}]

test('watches of the same events in the same encoding share the same bytes', () => {
  const frames = new SharedFrames(100)
  const first = frames.get([a, b], 'json', frame('one'))
  expect(frames.get([a, b], 'json', frame('two'))).toBe(first)
  expect(frames.get([a, b], 'protobuf', frame('two')).toString()).toBe('two')
  expect(frames.get([b], 'json', frame('three')).toString()).toBe('three')
  expect(frames.get([c, b], 'json', frame('four')).toString()).toBe('four')
})

test('keeps only the newest frames', () => {
  const frames = new SharedFrames(5)
  const first = frames.get([a], 'json', frame('aaa'))
  expect(frames.get([a], 'json', frame('?'))).toBe(first)
  frames.get([b], 'json', frame('bbb'))
  expect(frames.get([a], 'json', frame('again')).toString()).toBe('again')
  expect(frames.get([c], 'json', frame('far too long to keep')).toString()).toBe('far too long to keep')
})

test('writes the length of a chunk in hexadecimal', () => {
  expect(encodeHttpChunk([Buffer.from('0123456789'), Buffer.from('abcdef')]).toString()).toBe('10\r\n0123456789abcdef\r\n')
})
