import type { StoredObject } from '@keelson/storagebackend'
import { expect, test } from 'vitest'
import { MessageCache } from './message-cache.ts'

const createStored = (n: number, revision = 1): StoredObject => ({ key: `/o/${n}`, revision }) as unknown as StoredObject
const message = new Uint8Array(800)
let now = 0

function walk(cache: MessageCache, count: number): number {
  let hits = 0
  for (let n = 0; n < count; n++) {
    if (cache.get(createStored(n)) !== undefined) hits++
    else cache.offer(createStored(n), message)
  }
  return hits
}

test('keeps messages within the budget until the object changes', () => {
  const cache = new MessageCache(10_000, () => now)
  expect(walk(cache, 8)).toBe(0)
  expect(walk(cache, 8)).toBe(8)
  expect(cache.get(createStored(3, 2))).toBeUndefined()
  cache.offer(createStored(3, 2), message)
  expect(cache.get(createStored(3, 2))).toBe(message)
  // An older state of an object does not replace the newest one.
  cache.offer(createStored(3, 1), message)
  expect(cache.get(createStored(3, 1))).toBeUndefined()
  expect(cache.get(createStored(3, 2))).toBe(message)
})

test('keeps as many messages as fit, and never more bytes than the budget', () => {
  const cache = new MessageCache(10_000, () => now)
  walk(cache, 30)
  walk(cache, 30)
  expect(walk(cache, 30)).toBeGreaterThanOrEqual(8)
  expect(cache.bytes).toBeLessThanOrEqual(10_000)
})

test('drops messages that are no longer requested', () => {
  const cache = new MessageCache(10_000, () => now)
  walk(cache, 10)
  now += 61_000
  for (let n = 100; n < 110; n++) cache.offer(createStored(n), message)
  for (let n = 100; n < 110; n++) expect(cache.get(createStored(n))).toBe(message)
})

test('does not keep a message larger than the budget', () => {
  const cache = new MessageCache(500, () => now)
  cache.offer(createStored(0), message)
  expect(cache.get(createStored(0))).toBeUndefined()
  expect(cache.bytes).toBe(0)
})
