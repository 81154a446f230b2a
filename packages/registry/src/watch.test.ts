import { everyField, everything } from '@keelson/apimachinery'
import type { KubeObject } from '@keelson/apimachinery'
import { IteratedWatch, StorageError } from '@keelson/storagebackend'
import type { ObjectEvents, ObjectWatch, Storage } from '@keelson/storagebackend'
import { expect, test } from 'vitest'
import type { StorageDecorator } from './rest-options.ts'
import type { WatchRequest } from './rest.ts'
import { openTestStore, testContext } from './testing/index.ts'
import { widgets } from './testing/widgets.fixture.ts'
import { undecoratedStorage } from './rest-options.ts'

const request: WatchRequest = {
  predicate: { labels: everything(), fields: everyField() },
  resourceVersion: '1',
  resourceVersionMatch: undefined,
  allowBookmarks: false,
  sendInitialEvents: undefined,
  deadline: Number.POSITIVE_INFINITY,
}

async function* breaking<T extends KubeObject>(): AsyncGenerator<ObjectEvents<T>> {
  yield []
  throw new StorageError({ code: 'ResourceVersionTooOld', key: '/widgets/', message: 'compacted' })
}

test('a watch reports API errors when it starts and later, for both ways of reading', async () => {
  let isReady = false
  const decorator: StorageDecorator = <T extends KubeObject>(of: Parameters<typeof undecoratedStorage<T>>[0]): Storage<T> => ({
    ...undecoratedStorage(of),
    async watch() {
      if (!isReady) throw new StorageError({ code: 'NotReady', key: '', message: 'filling' })
      return new IteratedWatch(breaking<T>())
    },
  })
  await using under = openTestStore(widgets, { decorator })
  const open = (): Promise<ObjectWatch> => under.store.watch(testContext('one'), request, new AbortController().signal)
  await expect(open()).rejects.toMatchObject({ code: 429, message: 'filling' })

  isReady = true
  const expired = { code: 410, reason: 'Expired', message: 'compacted' }
  const batches: number[] = []
  const pushed = await open()
  await expect(pushed.forEach((batch) => void batches.push(batch.length))).rejects.toMatchObject(expired)
  const pulled = await open()
  const pull = async (): Promise<void> => {
    for await (const batch of pulled) batches.push(batch.length)
  }
  await expect(pull()).rejects.toMatchObject(expired)
  expect(batches).toEqual([0, 0])
})
