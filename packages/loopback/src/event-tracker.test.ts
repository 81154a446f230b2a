import type { ObjectEvents, ObjectWatch } from '@keelson/storagebackend'
import { expect, it } from 'vitest'
import { EventTracker } from './event-tracker.ts'

const batches: readonly ObjectEvents[] = [
  [{ type: 'BOOKMARK', revision: 1, initialEventsEnd: false }],
  [{ type: 'BOOKMARK', revision: 2, initialEventsEnd: false }],
]

const watch: ObjectWatch = {
  async *[Symbol.asyncIterator]() {
    yield* batches
  },
  async forEach(read) {
    for (const batch of batches) await read(batch)
  },
}

it('is busy while a reader handles a batch, until the reader asks for the next one', async () => {
  const tracker = new EventTracker()
  const iterator = tracker.track(watch)[Symbol.asyncIterator]()
  expect(tracker.isBusy).toBe(false)
  await iterator.next()
  expect(tracker.isBusy).toBe(true)
  const next = iterator.next()
  expect(tracker.isBusy).toBe(false)
  await next
  expect(tracker.isBusy).toBe(true)
  expect((await iterator.next()).done).toBe(true)
  expect(tracker.isBusy).toBe(false)
})

it('is not busy after a reader has left', async () => {
  const tracker = new EventTracker()
  for await (const _batch of tracker.track(watch)) {
    expect(tracker.isBusy).toBe(true)
    break
  }
  expect(tracker.isBusy).toBe(false)
})

it('is busy while a callback that waits handles a batch', async () => {
  const tracker = new EventTracker()
  const states: boolean[] = []
  await tracker.track(watch).forEach(async () => {
    await Promise.resolve()
    states.push(tracker.isBusy)
  })
  expect(states).toEqual([true, true])
  expect(tracker.isBusy).toBe(false)
})
