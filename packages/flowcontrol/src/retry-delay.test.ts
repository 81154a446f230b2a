import { expect, test } from 'vitest'
import { RetryDelay } from './retry-delay.ts'

/** Rejects this many requests in each second, from `start`. */
function rejectEachSecond(delay: RetryDelay, start: number, counts: readonly number[]): number[] {
  return counts.map((count, i) => {
    for (let n = 0; n < count; n++) delay.record((start + i) * 1000 + n)
    return delay.seconds
  })
}

test('the delay doubles while many requests are rejected, but not before it has passed, and has a limit', () => {
  expect(
    rejectEachSecond(
      new RetryDelay(),
      1000,
      Array.from({ length: 9 }, () => 100),
    ),
  ).toEqual([1, 2, 2, 4, 4, 4, 4, 8, 8])
  expect(
    rejectEachSecond(
      new RetryDelay(),
      1000,
      Array.from({ length: 100 }, () => 1000),
    ).at(-1),
  ).toBe(32)
})

test('a few rejections do not change the delay, and it becomes shorter when they stop', () => {
  expect(rejectEachSecond(new RetryDelay(), 1000, [2, 2, 1, 2])).toEqual([1, 1, 1, 1])
  const delay = new RetryDelay()
  rejectEachSecond(delay, 1000, [100, 100, 100, 100])
  expect(delay.seconds).toBe(4)
  expect(rejectEachSecond(delay, 1020, [1, 1, 1])).toEqual([3, 2, 2])
  expect(rejectEachSecond(delay, 1030, [1])).toEqual([1])
})
