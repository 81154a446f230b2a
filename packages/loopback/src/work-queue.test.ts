import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createManualClock } from '@keelson/apimachinery/testing'
import type { ManualClock } from '@keelson/apimachinery/testing'
import { RetryAfter, WorkQueue } from './work-queue.ts'

let clock: ManualClock
let queue: WorkQueue
let log: string[]
let act: (key: string) => Promise<void>
const settle = async (): Promise<void> => {
  for (let i = 0; i < 20; i++) await Promise.resolve()
}
beforeEach(() => {
  clock = createManualClock(0)
  log = []
  act = async () => {}
  queue = new WorkQueue({
    clock,
    workers: 2,
    firstRetry: 10,
    longestRetry: 40,
    onError: (key, error) => log.push(`${key} failed: ${(error as Error).message}`),
    async process(key) {
      log.push(key)
      await act(key)
    },
  })
})
afterEach(() => queue[Symbol.asyncDispose]())

it('processes a key once if it is added several times before', async () => {
  for (let i = 0; i < 5; i++) queue.add('a')
  await settle()
  expect(log).toEqual(['a'])
})

it('processes a key again if it is added during its processing, never twice at the same time and within the worker limit', async () => {
  const gates = new Map<string, () => void>()
  act = (key) => new Promise((resolve) => gates.set(key, resolve))
  for (const key of ['a', 'b', 'c']) queue.add(key)
  await settle()
  queue.add('a')
  await settle()
  expect(log).toEqual(['a', 'b'])
  gates.get('a')!()
  await settle()
  expect(log).toEqual(['a', 'b', 'c'])
  gates.get('b')!()
  await settle()
  expect(log).toEqual(['a', 'b', 'c', 'a'])
  for (const open of gates.values()) open()
})

it('retries with growing delays up to a limit, and starts over after a success', async () => {
  act = () => Promise.reject(new Error('x'))
  queue.add('a')
  await settle()
  for (const [wait, runs] of [
    [9, 1],
    [1, 2],
    [20, 3],
    [40, 4],
    [40, 5],
  ] as const) {
    clock.advance(wait)
    await settle()
    expect(log.filter((line) => line === 'a')).toHaveLength(runs)
  }
  act = async () => {}
  clock.advance(40)
  await settle()
  act = () => Promise.reject(new Error('x'))
  queue.add('a')
  await settle()
  log.length = 0
  clock.advance(10)
  await settle()
  expect(log).toContain('a')
})

it('reschedules a key on RetryAfter without counting a failure', async () => {
  act = () => Promise.reject(new RetryAfter(100, 'later'))
  queue.add('a')
  await settle()
  clock.advance(99)
  await settle()
  expect(log).toEqual(['a'])
  clock.advance(1)
  await settle()
  expect(log).toEqual(['a', 'a'])
})

it('a key that is added with two delays is processed after the shorter one', async () => {
  queue.addAfter('a', 100)
  queue.addAfter('a', 10)
  queue.addAfter('a', 50)
  clock.advance(10)
  await settle()
  clock.advance(200)
  await settle()
  expect(log).toEqual(['a'])
})

it('finishes the processing of current keys before it stops', async () => {
  let finish = (): void => {}
  const gate = new Promise<void>((resolve) => (finish = resolve))
  act = () => gate
  for (const key of ['a', 'b', 'c']) queue.add(key)
  queue.addAfter('d', 10)
  await settle()
  const stopped = vi.fn()
  const stopping = Promise.resolve(queue[Symbol.asyncDispose]()).then(stopped)
  await settle()
  expect(stopped).not.toHaveBeenCalled()
  finish()
  await stopping
  clock.advance(1000)
  queue.add('e')
  await settle()
  expect(log).toEqual(['a', 'b'])
})
