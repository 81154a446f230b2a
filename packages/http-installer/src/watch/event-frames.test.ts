import { expect, test } from 'vitest'
import { encodeHttpChunk, SharedFrames } from './event-frames.ts'

const createFrame = (text: string) => (): Buffer => Buffer.from(text)
const [a, b, c] = [{}, {}, {}]

test('watches of the same events in the same encoding share the same bytes', () => {
  const frames = new SharedFrames(100)
  const first = frames.get([a, b], 'json', createFrame('one'))
  expect(frames.get([a, b], 'json', createFrame('two'))).toBe(first)
  expect(frames.get([a, b], 'protobuf', createFrame('two')).toString()).toBe('two')
  expect(frames.get([b], 'json', createFrame('three')).toString()).toBe('three')
  expect(frames.get([c, b], 'json', createFrame('four')).toString()).toBe('four')
})

test('keeps only the newest frames', () => {
  const frames = new SharedFrames(5)
  const first = frames.get([a], 'json', createFrame('aaa'))
  expect(frames.get([a], 'json', createFrame('?'))).toBe(first)
  frames.get([b], 'json', createFrame('bbb'))
  expect(frames.get([a], 'json', createFrame('again')).toString()).toBe('again')
  expect(frames.get([c], 'json', createFrame('far too long to keep')).toString()).toBe('far too long to keep')
})

test('writes the length of a chunk in hexadecimal', () => {
  expect(encodeHttpChunk([Buffer.from('0123456789'), Buffer.from('abcdef')]).toString()).toBe('10\r\n0123456789abcdef\r\n')
})
