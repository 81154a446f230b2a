import { expect, test } from 'vitest'
import { goValue, memoizeByText } from './go-text.ts'

test("formats decoded JSON like Go's fmt", () => {
  expect(goValue({ b: [1, 'x', null, true, 1.5], a: { d: {}, c: [] }, z: -0.00001 })).toBe(
    'map[a:map[c:[] d:map[]] b:[1 x <nil> true 1.5] z:-1e-05]',
  )
})

test('caches results for short texts, and clears the cache when it is full', () => {
  const requested: string[] = []
  const answer = memoizeByText((text) => {
    requested.push(text)
    return { text }
  })
  const first = answer('a')
  expect(answer('a')).toBe(first)
  expect(requested).toEqual(['a'])
  const long = 'a'.repeat(1000)
  expect(answer(long)).toEqual(answer(long))
  expect(requested).toEqual(['a', long, long])
  for (let i = 0; i < 2000; i++) answer(String(i))
  expect(answer('a')).toEqual(first)
  expect(answer('a')).not.toBe(first)
})

test('does not cache failures', () => {
  let fails = true
  const answer = memoizeByText((text) => {
    if (fails) throw new Error(text)
    return { text }
  })
  expect(() => answer('a')).toThrow('a')
  fails = false
  expect(answer('a')).toEqual({ text: 'a' })
})
