import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Deadlines } from './deadlines.ts'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

test('what is late expires once, the oldest first, and the rest stays', () => {
  const deadlines = new Deadlines(1000)
  const expired: string[] = []
  const entry = (name: string): { expire: () => void } => ({ expire: () => expired.push(name) })
  deadlines.add(entry('a'))
  const finished = deadlines.add(entry('finished'))
  vi.advanceTimersByTime(600)
  deadlines.add(entry('b'))
  deadlines.delete(finished)
  vi.advanceTimersByTime(600)
  expect(expired).toEqual(['a'])
  vi.advanceTimersByTime(600)
  expect(expired).toEqual(['a', 'b'])
  expect(vi.getTimerCount()).toBe(0)
})

test('a clock that is set expires nothing, and keeps nothing alive', () => {
  const deadlines = new Deadlines(1000)
  let expired = 0
  deadlines.add({ expire: () => expired++ })
  vi.setSystemTime(Date.now() + 3_600_000)
  vi.advanceTimersByTime(500)
  expect(expired).toBe(0)
  vi.setSystemTime(0)
  vi.advanceTimersByTime(700)
  expect(expired).toBe(1)
  deadlines.stop()
})
