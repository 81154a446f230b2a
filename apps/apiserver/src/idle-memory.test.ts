import { expect, test } from 'vitest'
import { createIdleMemory } from './idle-memory.ts'

const megabyte = 2 ** 20

test('collects garbage when the process is idle, and only if memory has grown', () => {
  let memory = 100 * megabyte
  let busy = 1
  let collected = 0
  const look = createIdleMemory({
    memory: () => memory,
    busy: () => busy,
    collect: () => {
      collected++
      memory = 110 * megabyte
    },
  })
  const lookTimes = (times: number): void => {
    for (let i = 0; i < times; i++) look()
  }
  memory = 500 * megabyte
  lookTimes(10)
  expect(collected).toBe(0)
  busy = 0
  lookTimes(2)
  busy = 1
  look()
  busy = 0
  lookTimes(2)
  expect(collected).toBe(0)
  look()
  expect(collected).toBe(1)
  lookTimes(30)
  expect(collected).toBe(1)
  memory = 150 * megabyte
  lookTimes(3)
  expect(collected).toBe(1)
  memory = 300 * megabyte
  lookTimes(3)
  expect(collected).toBe(2)
})
