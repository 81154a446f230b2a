import { expect } from 'vitest'
import { ObjectWatchReader, type SeenEvent } from './object-watch-reader.ts'
import type { DeclareStorageTest } from './storage-suite.ts'
import { createPredicate } from './test-object.ts'

export function defineWatchStartTests(test: DeclareStorageTest): void {
  test('watch: reports once that its reader has got the existing objects', async ({ storage, prefix, create }) => {
    await create('ns', 'a')
    for (const startsWithState of [true, false]) {
      let reports = 0
      const { revision } = await storage.list(prefix)
      const options = { resourceVersion: startsWithState ? '' : String(revision), onInitialized: () => void reports++ }
      const reader = await ObjectWatchReader.open(storage, prefix, options)
      await reader.objects(startsWithState ? 1 : 0)
      const later = await create('ns', 'later')
      expect(await reader.objects(1)).toMatchObject([{ type: 'ADDED', name: 'later' }])
      expect(reports).toBe(1)
      await storage.delete(later.key)
      await reader.objects(1)
      expect(reports).toBe(1)
      await reader.stop()
    }
  })

  test('watch: starts correctly for every version, with and without initial events, bookmarks and a name', async ({
    storage,
    prefix,
    createKey,
    create,
  }) => {
    const a = await create('ns', 'a')
    const deletedObject = await create('ns', 'gone')
    const b = await create('ns', 'b')
    const deleted = await storage.delete(createKey('ns', 'gone'))
    const now = await storage.list(prefix)
    const createAddedEvent = (object: { revision: number }, name: string): SeenEvent => ({ type: 'ADDED', name, revision: object.revision })
    const state = [createAddedEvent(a, 'a'), createAddedEvent(b, 'b')]
    const happened = [
      createAddedEvent(deletedObject, 'gone'),
      createAddedEvent(b, 'b'),
      { type: 'DELETED', name: 'gone', revision: deleted.revision },
    ]

    let round = 0
    for (const rv of ['', '0', String(a.revision), String(now.revision)]) {
      for (const sendInitialEvents of [undefined, true, false]) {
        for (const allowBookmarks of [true, false]) {
          for (const onlyName of [undefined, 'b']) {
            const title = JSON.stringify({ rv, sendInitialEvents, allowBookmarks, only: onlyName })
            const reader = await ObjectWatchReader.open(storage, prefix, {
              resourceVersion: rv,
              allowBookmarks,
              sendInitialEvents,
              ...(sendInitialEvents !== undefined && { resourceVersionMatch: 'NotOlderThan' as const }),
              ...(onlyName && { predicate: createPredicate({ fields: `metadata.name=${onlyName}` }) }),
            })
            const initial = sendInitialEvents ?? (rv === '' || rv === '0')
            const expectedEvents = initial ? state : happened.filter(({ revision }) => rv !== '' && rv !== '0' && revision > Number(rv))
            const expected = expectedEvents.filter(({ name }) => onlyName === undefined || name === onlyName)
            expect(await reader.objects(expected.length), title).toEqual(expected)
            if (sendInitialEvents && allowBookmarks) {
              const [end] = await reader.events(1)
              expect(end, title).toMatchObject({ type: 'BOOKMARK', initialEventsEnd: true })
              // The newest revision of the store is that of the deletion, which is newer than every object.
              expect(end!.revision, title).toBeGreaterThanOrEqual(deleted.revision)
            }
            // No other event may come before the event of the next change.
            const laterObject = await create('later', onlyName ?? `n${round++}`)
            expect(await reader.objects(1), title).toEqual([createAddedEvent(laterObject, laterObject.field('metadata.name'))])
            const { revision } = await storage.delete(laterObject.key)
            const ended = { type: 'DELETED', name: laterObject.field('metadata.name'), revision }
            expect(await reader.objects(1), title).toEqual([ended])
            happened.push(createAddedEvent(laterObject, ended.name), ended)
            await reader.stop()
          }
        }
      }
    }
  })

  // API Priority and Fairness relies on this rule: a watch request counts as started when the promise resolves.
  test('watch: is open when the promise of watch() resolves, so later events are not lost', async (under) => {
    const { storage, prefix, create } = under
    const { revision } = await create('ns', 'start')
    await storage.list(prefix)
    const starts = [
      { resourceVersion: '', sendInitialEvents: false },
      { resourceVersion: '0', sendInitialEvents: false },
      { resourceVersion: String(revision) },
    ]
    for (const [i, start] of starts.entries()) {
      const reader = await ObjectWatchReader.open(storage, prefix, start)
      const written = [await create('ns', `a${i}`), await create('ns', `b${i}`)].map((object) => object.revision)
      const objects = await reader.objects(start.resourceVersion === String(revision) ? 2 * starts.length : 2)
      expect(objects.slice(-2).map((event) => event.revision)).toEqual(written)
      await reader.stop()
    }
  })

  test('watch: from 0, starts with the existing objects, also after a compaction', async ({ storage, prefix, create, update, compact }) => {
    const old = await create('ns', 'a')
    await update(old, (object) => void (object.spec = { text: '1' }))
    const newest = await update(old, (object) => void (object.spec = { text: '2' }))
    await compact(newest.revision)
    await storage.list(prefix)
    for (const resourceVersion of ['0', '']) {
      const reader = await ObjectWatchReader.open(storage, prefix, { resourceVersion })
      expect(await reader.objects(1)).toEqual([{ type: 'ADDED', name: 'a', revision: newest.revision }])
      await reader.stop()
    }
  })

  test('bookmarks: their versions never decrease, and all later events are newer', async (under) => {
    const { storage, prefix, createKey, create, requestProgress } = under
    const { revision } = await create('ns', 'start')
    const reader = await ObjectWatchReader.open(storage, prefix, { resourceVersion: String(revision), allowBookmarks: true })
    const written: number[] = []
    const writing = (async () => {
      for (let i = 0; i < 20; i++) {
        written.push((await create('ns', 'a')).revision, (await storage.delete(createKey('ns', 'a'))).revision)
        if (i % 4 === 3) await requestProgress()
      }
    })()
    let last = revision
    const revisions: number[] = []
    while (revisions.length < 40) {
      const [event] = await reader.events(1)
      if (event!.type === 'BOOKMARK') expect(event!.revision).toBeGreaterThanOrEqual(last)
      else {
        expect(event!.revision).toBeGreaterThan(last)
        revisions.push(event!.revision)
      }
      last = event!.revision
    }
    await writing
    expect(revisions).toEqual(written)
    const bookmark = reader.events(1)
    await requestProgress()
    expect((await bookmark)[0]).toMatchObject({ type: 'BOOKMARK', initialEventsEnd: false })
    await reader.stop()
  })
}
