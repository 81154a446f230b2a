import { expect } from 'vitest'
import { formatEvents, ObjectWatchReader } from './object-watch-reader.ts'
import { getErrorCode, catchFailure } from './storage-errors.ts'
import type { DeclareStorageTest } from './storage-suite.ts'
import { createPredicate } from './test-object.ts'

export function defineWatchTests(test: DeclareStorageTest): void {
  test('watch: from a version, sends only later changes', async ({ storage, prefix, createKey, create, update }) => {
    const old = await create('ns', 'old')
    const reader = await ObjectWatchReader.open(storage, prefix, { resourceVersion: String(old.revision) })
    const a = await create('ns', 'a')
    const changed = await update(a, (object) => void (object.spec = { text: 'x' }))
    const deleted = await storage.delete(createKey('ns', 'a'))
    const events = await reader.objects(3)
    expect(formatEvents(events)).toEqual(['ADDED a', 'MODIFIED a', 'DELETED a'])
    expect(events.map((event) => event.revision)).toEqual([a.revision, changed.revision, deleted.revision])
    await reader.stop()
    const lateReader = await ObjectWatchReader.open(storage, prefix, { resourceVersion: String(a.revision) })
    expect(await lateReader.objects(2)).toEqual(events.slice(1))
    await lateReader.stop()
  })

  test('watch: from 0 and without a version, starts with the existing objects in key order', async ({ storage, prefix, create }) => {
    const first = await create('b', '1')
    await create('a', '2')
    await create('a', '1')
    for (const resourceVersion of ['0', '']) {
      // Wait until a cache has received both writes.
      await storage.list(prefix)
      const reader = await ObjectWatchReader.open(storage, prefix, { resourceVersion })
      const events = await reader.objects(3)
      expect(formatEvents(events)).toEqual(['ADDED 1', 'ADDED 2', 'ADDED 1'])
      expect(events[2]!.revision).toBe(first.revision)
      await reader.stop()
    }
  })

  test('watch: a DELETED event has the last object with the version of the deletion', async ({ storage, prefix, createKey, create }) => {
    const created = await create('ns', 'a', { text: 'last' })
    const reader = await ObjectWatchReader.open(storage, prefix, { resourceVersion: String(created.revision) })
    const deleted = await storage.delete(createKey('ns', 'a'))
    const event = await reader.next()
    if (event?.type !== 'DELETED') throw new Error(`expected DELETED, got ${event?.type}`)
    expect(event.object.object().spec!.text).toBe('last')
    expect(event.object.object().metadata.resourceVersion).toBe(String(deleted.revision))
    await reader.stop()
  })

  test('watch: an object that starts to match is ADDED, and one that stops to match is DELETED', async ({
    storage,
    prefix,
    createKey,
    create,
    update,
  }) => {
    const start = await create('ns', 'other')
    const predicate = createPredicate({ labels: 'app=x' })
    const reader = await ObjectWatchReader.open(storage, prefix, { resourceVersion: String(start.revision), predicate })
    const setAppLabel = (app: string) => (object: { metadata: { labels?: Record<string, string> } }) =>
      void (object.metadata.labels = { app })
    const a = await create('ns', 'a', { labels: { app: 'y' } })
    const entered = await update(a, setAppLabel('x'))
    const stayed = await update(a, (object) => void (object.spec = { text: 'x' }))
    const updated = await update(a, setAppLabel('y'))
    await update(a, setAppLabel('z'))
    const entered2 = await update(a, setAppLabel('x'))
    const deleted = await storage.delete(createKey('ns', 'a'))
    await create('ns', 'b', { labels: { app: 'y' } })
    await storage.delete(createKey('ns', 'b'))
    const end = await create('ns', 'end', { labels: { app: 'x' } })
    const events = await reader.objects(6)
    expect(formatEvents(events)).toEqual(['ADDED a', 'MODIFIED a', 'DELETED a', 'ADDED a', 'DELETED a', 'ADDED end'])
    expect(events.map((e) => e.revision)).toEqual([entered, stayed, updated, entered2, deleted, end].map((object) => object.revision))
    await reader.stop()
  })

  test('watch: for an object that stops to match, DELETED has the previous object', async ({ storage, prefix, create, update }) => {
    const a = await create('ns', 'a', { nodeName: 'n1' })
    const predicate = createPredicate({ fields: 'spec.nodeName=n1' })
    const reader = await ObjectWatchReader.open(storage, prefix, { resourceVersion: String(a.revision), predicate })
    const updated = await update(a, (object) => void (object.spec!.nodeName = 'n2'))
    const event = await reader.next()
    if (event?.type !== 'DELETED') throw new Error(`expected DELETED, got ${event?.type}`)
    expect(event.object.object().spec!.nodeName).toBe('n1')
    expect(event.object.revision).toBe(updated.revision)
    await reader.stop()
  })

  test('watch: sends no events of other namespaces or keys', async ({ storage, prefix, createKey, create }) => {
    const start = await create('x', 'x')
    const resourceVersion = String(start.revision)
    const namespace = await ObjectWatchReader.open(storage, `${prefix}a/`, { resourceVersion })
    const single = await ObjectWatchReader.open(storage, createKey('a', '2'), { resourceVersion, recursive: false })
    for (const [ns, name] of [
      ['ab', '0'],
      ['a', '1'],
      ['b', '2'],
      ['a', '2'],
      ['a', '20'],
      ['a', '3'],
    ] as const)
      await create(ns, name)
    await storage.delete(createKey('a', '2'))
    expect(formatEvents(await namespace.objects(5))).toEqual(['ADDED 1', 'ADDED 2', 'ADDED 20', 'ADDED 3', 'DELETED 2'])
    expect(formatEvents(await single.objects(2))).toEqual(['ADDED 2', 'DELETED 2'])
    await namespace.stop()
    await single.stop()
  })

  test('watch: fails with ResourceVersionTooOld from a compacted version', async ({ storage, prefix, create, update, compact }) => {
    const old = await create('ns', 'a')
    await update(old, (object) => void (object.spec = { text: '1' }))
    const newest = await update(old, (object) => void (object.spec = { text: '2' }))
    await compact(newest.revision)
    const open = async (): Promise<unknown> => {
      const reader = await ObjectWatchReader.open(storage, prefix, { resourceVersion: String(old.revision) })
      return reader.next()
    }
    expect(getErrorCode(await catchFailure(open()))).toBe('ResourceVersionTooOld')
  })

  test('watch: ends without error when aborted', async ({ storage, prefix, create }) => {
    const { revision } = await create('ns', 'a')
    const abort = new AbortController()
    const watch = await storage.watch(prefix, { resourceVersion: String(revision), signal: abort.signal })
    const waiting = watch[Symbol.asyncIterator]().next()
    abort.abort()
    expect((await waiting).done).toBe(true)
  })

  test('watch: sends all events in order during concurrent writes', async ({ storage, prefix, createKey, create }) => {
    const { revision } = await create('ns', 'start')
    const reader = await ObjectWatchReader.open(storage, prefix, { resourceVersion: String(revision) })
    const written: number[] = []
    await Promise.all(
      Array.from({ length: 6 }, async (_, w) => {
        for (let i = 0; i < 10; i++) {
          written.push((await create('ns', `w${w}`)).revision)
          written.push((await storage.delete(createKey('ns', `w${w}`))).revision)
        }
      }),
    )
    const events = await reader.objects(written.length)
    expect(events.map((event) => event.revision)).toEqual(written.toSorted((a, b) => a - b))
    await reader.stop()
  })

  test('watch: fails for an invalid version', async ({ storage, prefix }) => {
    const error = await catchFailure(storage.watch(prefix, { resourceVersion: 'abc', signal: AbortSignal.abort() }))
    expect(error).toMatchObject({
      code: 'UnparsableResourceVersion',
      message: 'resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax',
    })
  })
}
