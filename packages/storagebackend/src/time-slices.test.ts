import { expect, test } from 'vitest'
import { TimeSlices } from './time-slices.ts'

const spin = (milliseconds: number): void => {
  for (const end = performance.now() + milliseconds; performance.now() < end;) continue
}

test('a long loop lets others run, a short one does not wait', async () => {
  const slices = new TimeSlices()
  expect(slices.due()).toBeUndefined()
  let others = 0
  const count = (): void => {
    others++
    if (others < 3) setImmediate(count)
  }
  setImmediate(count)
  while (others < 3) {
    spin(5)
    await slices.due()
  }
  // After a pause the next slice is as long as the first.
  expect(slices.due()).toBeUndefined()
})

test('for steps that cost next to nothing the clock is read only now and then', () => {
  const slices = new TimeSlices(64)
  spin(5)
  expect(Array.from({ length: 64 }, () => slices.due()).findIndex((pause) => pause !== undefined)).toBe(63)
})
