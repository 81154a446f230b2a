import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Deadlines } from './deadlines.ts'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

interface Entry {
  readonly name: string
  readonly started: number
}
const entry = (name: string): Entry => ({ name, started: performance.now() })

test('entries expire once, the oldest first; deleted ones do not', () => {
  const expired: string[] = []
  const deadlines = new Deadlines<Entry>(1000, ({ name }) => expired.push(name))
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

test('setting the system clock neither expires an entry nor keeps one alive', () => {
  let expired = 0
  const deadlines = new Deadlines<Entry>(1000, () => expired++)
  deadlines.add(entry('a'))
  vi.setSystemTime(Date.now() + 3_600_000)
  vi.advanceTimersByTime(500)
  expect(expired).toBe(0)
  vi.setSystemTime(0)
  vi.advanceTimersByTime(700)
  expect(expired).toBe(1)
  deadlines.stop()
})
