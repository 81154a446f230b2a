import { expect, test } from 'vitest'
import { waitUntilIdle } from './wait-until-idle.ts'

test('waits for queues and writes', async () => {
  let turns = 0
  const server = {
    get busyWork() {
      return ++turns < 20 ? ['namespace'] : []
    },
  }
  await waitUntilIdle(server, () => Math.min(turns, 40))
  expect(turns).toBeGreaterThan(40)
})

test('names the work of controllers that are never idle', async () => {
  const waiting = waitUntilIdle({ busyWork: ['namespace', 'watches'] }, () => 1, { timeoutMs: 20 })
  await expect(waiting).rejects.toThrow('the controllers are not idle after 0.02 s; these still have work: namespace, watches.')
})

test('says that objects change all the time', async () => {
  let revision = 0
  await expect(waitUntilIdle({ busyWork: [] }, () => revision++, { timeoutMs: 20 })).rejects.toThrow('objects still change')
})
