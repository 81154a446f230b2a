import { expect, test } from 'vitest'
import { createIdleMemory } from './idle-memory.ts'

const megabyte = 2 ** 20

test('collects garbage when the process is idle, and only if memory has grown', () => {
  let memory = 100 * megabyte
  let utilization = 1
  let collections = 0
  const checkMemory = createIdleMemory({
    readMemory: () => memory,
    measureBusyShare: () => utilization,
    collect: () => {
      collections++
      memory = 110 * megabyte
    },
  })
  const lookTimes = (times: number): void => {
    for (let i = 0; i < times; i++) checkMemory()
  }
  memory = 500 * megabyte
  lookTimes(10)
  expect(collections).toBe(0)
  utilization = 0
  lookTimes(2)
  utilization = 1
  checkMemory()
  utilization = 0
  lookTimes(2)
  expect(collections).toBe(0)
  checkMemory()
  expect(collections).toBe(1)
  lookTimes(30)
  expect(collections).toBe(1)
  memory = 150 * megabyte
  lookTimes(3)
  expect(collections).toBe(1)
  memory = 300 * megabyte
  lookTimes(3)
  expect(collections).toBe(2)
})
