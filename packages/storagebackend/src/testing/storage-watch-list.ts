import { expect } from 'vitest'
import { formatEvents, ObjectWatchReader } from './object-watch-reader.ts'
import { getErrorCode, catchFailure } from './storage-errors.ts'
import type { DeclareStorageTest } from './storage-suite.ts'
import { createPredicate } from './test-object.ts'

export function defineWatchListTests(test: DeclareStorageTest): void {
  test('initial events: a watch sends ADDED events in key order, then a bookmark, then changes', async ({ storage, prefix, create }) => {
    await create('b', '1')
    await create('a', '2')
    const newest = await create('a', '1')
    for (const resourceVersion of ['', '0', String(newest.revision)]) {
      await storage.list(prefix)
      const reader = await ObjectWatchReader.open(storage, prefix, {
        resourceVersion,
        sendInitialEvents: true,
        allowBookmarks: true,
        resourceVersionMatch: 'NotOlderThan',
      })
      const events = await reader.events(4)
      expect(formatEvents(events)).toEqual(['ADDED 1', 'ADDED 2', 'ADDED 1', 'BOOKMARK'])
      expect(events[3]!.initialEventsEnd).toBe(true)
      expect(events[3]!.revision).toBeGreaterThanOrEqual(newest.revision)
      const name = `after-${resourceVersion}`
      const later = await create('c', name)
      expect(await reader.objects(1)).toEqual([{ type: 'ADDED', name, revision: later.revision }])
      await reader.stop()
      await storage.delete(later.key)
    }
  })

  test('initial events: the last bookmark has the version of the store, not of the newest object', async ({
    storage,
    prefix,
    createKey,
    create,
  }) => {
    await create('a', '1')
    await create('a', '2')
    const deleted = await storage.delete(createKey('a', '2'))
    const options = { sendInitialEvents: true, allowBookmarks: true, predicate: createPredicate({ fields: 'metadata.name=1' }) }
    const reader = await ObjectWatchReader.open(storage, prefix, options)
    const events = await reader.events(2)
    expect(formatEvents(events)).toEqual(['ADDED 1', 'BOOKMARK'])
    expect(events[1]!.revision).toBeGreaterThanOrEqual(deleted.revision)
    await reader.stop()
  })

  test('initial events: do not end with a bookmark if the watch does not allow bookmarks', async ({ storage, prefix, create }) => {
    await create('a', '1')
    const reader = await ObjectWatchReader.open(storage, prefix, { sendInitialEvents: true })
    await reader.objects(1)
    await create('a', '2')
    expect(formatEvents(await reader.events(1))).toEqual(['ADDED 2'])
    await reader.stop()
  })

  test('initial events: are not sent if the request excludes them', async ({ storage, prefix, create }) => {
    await create('a', '1')
    for (const resourceVersion of ['', '0']) {
      await storage.list(prefix)
      const reader = await ObjectWatchReader.open(storage, prefix, { resourceVersion, sendInitialEvents: false, allowBookmarks: true })
      const change = reader.objects(1)
      const later = await create('a', `later-${resourceVersion}`)
      expect((await change)[0]!.revision).toBe(later.revision)
      await reader.stop()
    }
  })

  test('initial events: a watch from a future version fails with ResourceVersionTooLarge', async ({ storage, prefix, create }) => {
    const { revision } = await create('a', '1')
    const open = async (): Promise<unknown> => {
      const resourceVersion = String(revision + 1_000_000)
      const reader = await ObjectWatchReader.open(storage, prefix, { resourceVersion, sendInitialEvents: true, allowBookmarks: true })
      return reader.next()
    }
    expect(getErrorCode(await catchFailure(open()))).toBe('ResourceVersionTooLarge')
  })

  test('bookmarks: never come before their events, and only to watches that allow bookmarks', async ({
    storage,
    prefix,
    create,
    requestProgress,
  }) => {
    const start = await create('a', 'start')
    const resourceVersion = String(start.revision)
    const predicate = createPredicate({ labels: 'app=x' })
    const with_ = await ObjectWatchReader.open(storage, prefix, { resourceVersion, allowBookmarks: true, predicate })
    const withoutBookmarks = await ObjectWatchReader.open(storage, prefix, { resourceVersion, predicate })
    const first = with_.events(1)
    const firstWithout = withoutBookmarks.events(1)
    const unselected = await create('a', 'unseen')
    await requestProgress()
    const [bookmark] = await first
    expect(bookmark).toMatchObject({ type: 'BOOKMARK', initialEventsEnd: false })
    expect(bookmark!.revision).toBeGreaterThanOrEqual(start.revision)
    const selected = await create('a', 'seen', { labels: { app: 'x' } })
    expect(selected.revision).toBeGreaterThan(unselected.revision)
    const [event] = await with_.objects(1)
    expect(event!.revision).toBeGreaterThan(bookmark!.revision)
    expect(formatEvents(await firstWithout)).toEqual(['ADDED seen'])
    await with_.stop()
    await withoutBookmarks.stop()
  })
}
