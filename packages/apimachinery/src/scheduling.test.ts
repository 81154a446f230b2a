import { expect, test } from 'vitest'
import { TimeSlice, pauseIfLong, waitForShare, waitForSharedTurn, sliceMilliseconds } from './scheduling.ts'

const spin = (milliseconds: number): void => {
  for (const end = performance.now() + milliseconds; performance.now() < end;) continue
}

test('lets other work run during a long loop, and does not pause a short loop', async () => {
  const slice = new TimeSlice()
  expect(slice.pauseIfOver()).toBeUndefined()
  let turns = 0
  const count = (): void => {
    turns++
    if (turns < 3) setImmediate(count)
  }
  setImmediate(count)
  while (turns < 3) {
    spin(sliceMilliseconds + 1)
    await slice.pauseIfOver()
  }
  // The slice after a pause is as long as the first slice.
  expect(slice.pauseIfOver()).toBeUndefined()
})

test('reads the clock once per given number of steps', () => {
  const slice = new TimeSlice(64)
  spin(sliceMilliseconds + 1)
  expect(Array.from({ length: 64 }, () => slice.pauseIfOver()).findIndex((pause) => pause !== undefined)).toBe(63)
})

test('starts a new slice after the loop has waited for something else', () => {
  const slice = new TimeSlice()
  spin(sliceMilliseconds + 1)
  expect(slice.isOver).toBe(true)
  slice.restart()
  expect(slice.isOver).toBe(false)
})

test('pauses only after a step that takes longer than a slice', async () => {
  const began = performance.now()
  expect(pauseIfLong(began)).toBeUndefined()
  spin(sliceMilliseconds + 1)
  let turns = 0
  setImmediate(() => turns++)
  setImmediate(() => setImmediate(() => turns++))
  await pauseIfLong(began)
  expect(turns).toBe(2)
})

test('resumes all callers of one turn together', async () => {
  const steps: string[] = []
  const go = async (name: string): Promise<void> => {
    await waitForSharedTurn()
    steps.push(`${name}1`)
    await Promise.resolve()
    steps.push(`${name}2`)
  }
  await Promise.all([go('a'), go('b')])
  expect(steps).toEqual(['a1', 'b1', 'a2', 'b2'])
})

test('resumes few large tasks in each turn, however many there are', async () => {
  let running = 20
  const run = async (): Promise<void> => {
    for (let step = 0; step < 3; step++) {
      await waitForShare('alice')
      // The work of a step comes after a few promises.
      await Promise.resolve()
      await Promise.resolve()
      spin(2)
    }
    running--
  }
  const tasks = Array.from({ length: 20 }, run)
  let turns = 0
  for (; running > 0; turns++) await new Promise((resolve) => setImmediate(resolve))
  await Promise.all(tasks)
  // 60 steps of 2 ms, of which one or two fit into a turn.
  expect(turns).toBeGreaterThanOrEqual(30)
})

test('gives each owner of large tasks the same share', async () => {
  const order: string[] = []
  const run = async (owner: string, steps: number): Promise<void> => {
    for (let step = 0; step < steps; step++) {
      await waitForShare(owner)
      order.push(owner)
    }
  }
  await Promise.all([...Array.from({ length: 100 }, () => run('flooding', 1)), run('quiet', 5)])
  expect(order.indexOf('quiet')).toBeLessThan(3)
  expect(order.lastIndexOf('quiet')).toBeLessThan(12)
  expect(order).toHaveLength(105)
})
