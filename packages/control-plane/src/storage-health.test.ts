import { openMemory } from '@keelson/backend-embedded'
import { createManualClock, settle } from '@keelson/apimachinery/testing'
import { expect, test } from 'vitest'
import { createServerChain } from './create-server-chain.ts'
import { waitForStorages } from './storage-health.ts'

test('the start fails immediately if the store is closed', async () => {
  const store = openMemory()
  await store[Symbol.asyncDispose]()
  const chain = await createServerChain({ storage: { drivers: { memory: async () => store } }, controllers: ['none'] })
  try {
    await expect(chain.start()).rejects.toThrow('the store is closed')
  } finally {
    await chain.close()
  }
})

test('an unreadable resource delays the start by a minute, but does not fail it', async () => {
  const clock = createManualClock()
  await using backend = openMemory()
  const unreadable = { checkReady: () => Promise.reject(new Error('storage is (re)initializing')) }
  const started = { backends: { stores: [backend] }, storages: [unreadable] }
  const logged: unknown[] = []
  let isDone = false
  const waiting = waitForStorages(started, { clock, log: (...line) => logged.push(line) }).then(() => (isDone = true))
  await settle()
  await clock.pass(59_000)
  expect([isDone, logged]).toEqual([false, []])
  await clock.pass(2000)
  await waiting
  expect(logged).toEqual([
    [0, 'Starting although the storage of some resources is not ready', { waited: '60s', err: 'storage is (re)initializing' }],
  ])
})
