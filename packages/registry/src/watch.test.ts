import { everyField, everything } from '@keelson/apimachinery'
import { IteratedWatch, StorageError } from '@keelson/storagebackend'
import type { ObjectEvents, Storage } from '@keelson/storagebackend'
import { expect, test } from 'vitest'
import type { WatchRequest } from './rest.ts'
import { openTestStore, testContext } from './testing/index.ts'
import { widgets } from './testing/widgets.fixture.ts'
import type { Widget } from './testing/widgets.fixture.ts'
import { watch } from './watch.ts'

const request: WatchRequest = {
  predicate: { labels: everything(), fields: everyField() },
  resourceVersion: '1',
  resourceVersionMatch: undefined,
  allowBookmarks: false,
  sendInitialEvents: undefined,
  deadline: Number.POSITIVE_INFINITY,
}

async function* breaking(): AsyncGenerator<ObjectEvents<Widget>> {
  yield []
  throw new StorageError({ code: 'ResourceVersionTooOld', key: '/widgets/', message: 'compacted' })
}

test('a watch fails with API errors: at its start, and later for both ways to read', async () => {
  await using store = openTestStore(widgets)
  const { parts } = store.store
  const context = testContext('one')
  const { signal } = new AbortController()
  const opened = (open: Storage<Widget>['watch']): ReturnType<typeof watch<Widget>> =>
    watch({ ...parts, storage: { ...parts.storage, watch: open } }, context, request, signal)

  const refused = opened(() => Promise.reject(new StorageError({ code: 'NotReady', key: '', message: 'filling' })))
  await expect(refused).rejects.toMatchObject({ code: 429 })

  const expired = { code: 410, reason: 'Expired', message: 'compacted' }
  const batches: number[] = []
  const pushed = await opened(async () => new IteratedWatch(breaking()))
  await expect(pushed.forEach((batch) => void batches.push(batch.length))).rejects.toMatchObject(expired)
  const pulled = await opened(async () => new IteratedWatch(breaking()))
  const pull = async (): Promise<void> => {
    for await (const batch of pulled) batches.push(batch.length)
  }
  await expect(pull()).rejects.toMatchObject(expired)
  expect(batches).toEqual([0, 0])
})
