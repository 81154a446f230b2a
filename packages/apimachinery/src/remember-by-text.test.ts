import { expect, test } from 'vitest'
import { rememberByText } from './remember-by-text.ts'

test('asks once for each text, but for long ones, and starts again when it knows too many', () => {
  const asked: string[] = []
  const answer = rememberByText((text) => {
    asked.push(text)
    return { text }
  })
  const first = answer('a')
  expect(answer('a')).toBe(first)
  expect(asked).toEqual(['a'])
  const long = 'a'.repeat(1000)
  expect(answer(long)).toEqual(answer(long))
  expect(asked).toEqual(['a', long, long])
  for (let i = 0; i < 2000; i++) answer(String(i))
  expect(answer('a')).toEqual(first)
  expect(answer('a')).not.toBe(first)
})

test('an answer that fails is not kept', () => {
  let fails = true
  const answer = rememberByText((text) => {
    if (fails) throw new Error(text)
    return { text }
  })
  expect(() => answer('a')).toThrow('a')
  fails = false
  expect(answer('a')).toEqual({ text: 'a' })
})
