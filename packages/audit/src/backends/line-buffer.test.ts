import { expect, it } from 'vitest'
import { LineBuffer } from './line-buffer.ts'

it('keeps lines of any length and alphabet', () => {
  const buffer = new LineBuffer()
  const lines = ['a\n', 'ü\n', `${'€'.repeat(30_000)}\n`, `${'x'.repeat(200_000)}\n`, '😀\n']
  for (const line of lines) buffer.add(line)
  expect(buffer.bytes.toString()).toBe(lines.join(''))
  expect(lines.map((_, i) => buffer.getLine(i))).toEqual(lines)
  expect([buffer.size, buffer.ends.at(-1)]).toEqual([Buffer.byteLength(lines.join('')), buffer.size])
})

it('is empty after it was cleared', () => {
  const buffer = new LineBuffer()
  buffer.add('x'.repeat(5 * 2 ** 20))
  buffer.clear()
  expect([buffer.size, buffer.ends.length, buffer.bytes.length]).toEqual([0, 0, 0])
  buffer.add('b\n')
  expect(buffer.bytes.toString()).toBe('b\n')
})
