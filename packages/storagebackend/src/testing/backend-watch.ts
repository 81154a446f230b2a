import { expect } from 'vitest'
import { hasCompaction, type Change } from '../backend.ts'
import { isBackendError } from '../backend-errors.ts'
import { createKeyRange, createPrefixRange } from '../object-key.ts'
import type { DeclareBackendTest } from './backend-suite.ts'
import { getRevision, WatchReader } from './watch-reader.ts'

export function defineWatchTests(test: DeclareBackendTest): void {
  test('watch: distinguishes creation, change and deletion, with the right previous value', async ({
    backend,
    prefix,
    put,
    delete: remove,
  }) => {
    const start = await put('other')
    const reader = new WatchReader(backend, createPrefixRange(`${prefix}w/`), start)
    const created = await put('w/a', 'one')
    const changed = await put('w/a', 'two')
    const deleted = await remove('w/a')
    const newRevision = await put('w/a', 'three')
    const changes = await reader.changes(4)
    expect(changes.map(getRevision)).toEqual([created, changed, deleted, newRevision])
    expect(changes.map((c) => c.type)).toEqual(['put', 'put', 'delete', 'put'])
    expect(changes.map((c) => c.previous?.modRevision)).toEqual([undefined, created, changed, undefined])
    expect(changes.map((c) => c.type === 'put' && c.entry.createRevision)).toEqual([created, created, false, newRevision])
    expect(Buffer.from(changes[2]!.previous!.value).toString()).toBe('two')
    await reader.stop()
  })

  test('watch: sends all changes once and in order, from any start, during concurrent writes', async ({
    backend,
    prefix,
    put,
    delete: remove,
  }) => {
    const start = await put('start')
    const range = createPrefixRange(`${prefix}w/`)
    const total = 200
    const live = new WatchReader(backend, range, start)
    // Start reading before the writes end, so that this watch gets live changes and not only history.
    const liveChanges = live.changes(total)
    const written: number[] = []
    await Promise.all(
      Array.from({ length: 8 }, async (_, writer) => {
        for (let i = 0; i < 25; i++) written.push(i % 5 === 4 ? await remove(`w/${writer}`) : await put(`w/${writer}`, String(i)))
      }),
    )
    written.sort((a, b) => a - b)
    expect((await liveChanges).map(getRevision)).toEqual(written)
    for (const after of [start, written[0]!, written[99]!, written[198]!]) {
      const lateReader = new WatchReader(backend, range, after)
      const expected = written.filter((revision) => revision > after)
      expect((await lateReader.changes(expected.length)).map(getRevision)).toEqual(expected)
      const lastRevision = await put('w/last')
      written.push(lastRevision)
      for (const reader of [lateReader, live]) expect((await reader.changes(1)).map(getRevision)).toEqual([lastRevision])
      await lateReader.stop()
    }
    await live.stop()
  })

  test('watch: all changes of a revision come in one message', async ({ backend, prefix, put }) => {
    const start = await put('start')
    const live = new WatchReader(backend, createPrefixRange(prefix), start)
    const commit = (names: readonly string[]): Promise<{ revision: number }> =>
      backend.commit({
        compare: [],
        operations: names.map((name) => ({ type: 'put', key: prefix + name, value: Buffer.from(name) }) as const),
      })
    for (let i = 0; i < 20; i++) await commit(Array.from({ length: 30 }, (_, k) => `k${k}-${i % 3}`))
    const lateReader = new WatchReader(backend, createPrefixRange(prefix), start)
    for (const reader of [live, lateReader]) {
      let last = start
      for (const batch of await reader.batches(600)) {
        const revisions = batch.map(getRevision)
        expect(revisions).toEqual(revisions.toSorted((a, b) => a - b))
        expect(revisions[0]).toBeGreaterThan(last)
        last = revisions.at(-1)!
        for (const revision of new Set(revisions)) expect(revisions.filter((r) => r === revision)).toHaveLength(30)
      }
      await reader.stop()
    }
  })

  test('watch: resumes after a revision', async ({ backend, prefix, put }) => {
    const start = await put('start')
    const first = new WatchReader(backend, createPrefixRange(prefix), start)
    for (let i = 0; i < 10; i++) await put(`k${i}`)
    const firstChanges = (await first.changes(10)).slice(0, 4)
    await first.stop()
    const second = new WatchReader(backend, createPrefixRange(prefix), getRevision(firstChanges.at(-1)!))
    const remainingChanges = await second.changes(6)
    expect(remainingChanges.map((c) => c.type === 'put' && c.entry.key.slice(prefix.length))).toEqual(['k4', 'k5', 'k6', 'k7', 'k8', 'k9'])
    await second.stop()
  })

  test('watch: sees only its range', async ({ backend, prefix, put, delete: remove }) => {
    const start = await put('start')
    const readers = {
      prefix: new WatchReader(backend, createPrefixRange(`${prefix}b/`), start),
      key: new WatchReader(backend, createKeyRange(`${prefix}b/1`), start),
      part: new WatchReader(backend, { start: `${prefix}b/2`, end: `${prefix}c` }, start),
      all: new WatchReader(backend, createPrefixRange(prefix), start),
    }
    for (const name of ['a/1', 'b', 'b/1', 'b/2', 'b/3', 'b0', 'c']) await put(name)
    await remove('b/1')
    const listKeys = (changes: Change[]): string[] =>
      changes.map((c) => (c.type === 'put' ? c.entry.key.slice(prefix.length) : `-${c.key.slice(prefix.length)}`))
    expect(listKeys(await readers.prefix.changes(4))).toEqual(['b/1', 'b/2', 'b/3', '-b/1'])
    expect(listKeys(await readers.key.changes(2))).toEqual(['b/1', '-b/1'])
    expect(listKeys(await readers.part.changes(3))).toEqual(['b/2', 'b/3', 'b0'])
    expect(listKeys(await readers.all.changes(8))).toEqual(['a/1', 'b', 'b/1', 'b/2', 'b/3', 'b0', 'c', '-b/1'])
    for (const reader of Object.values(readers)) await reader.stop()
  })

  test('watch: progress never comes before its changes, and is at least as new as its request', async ({ backend, prefix, put }) => {
    const start = await put('start')
    const reader = new WatchReader(backend, createPrefixRange(`${prefix}w/`), start)
    await put('w/a')
    await reader.changes(1)
    const otherRevision = await put('elsewhere')
    await backend.requestProgress()
    expect(await reader.progress()).toBeGreaterThanOrEqual(otherRevision)

    let last = 0
    const writing = Promise.all(Array.from({ length: 40 }, (_, i) => put(`w/${i}`)))
    const asking = (async () => {
      for (let i = 0; i < 20; i++) await backend.requestProgress()
    })()
    for (let received = 0; received < 40;) {
      const message = (await reader.next())!
      if (message.type === 'progress') last = Math.max(last, message.revision)
      else {
        // Changes come before the progress that includes them, so a later change must have a greater revision.
        for (const change of message.changes) expect(getRevision(change)).toBeGreaterThan(last)
        received += message.changes.length
      }
    }
    await Promise.all([writing, asking])
    await reader.stop()
  })

  test('watch: throws if the start revision has been compacted', async ({ backend, prefix, put }) => {
    if (!hasCompaction(backend)) return
    const old = await put('a')
    const keptRevision = await put('a')
    const newest = await put('a')
    await backend.compact(keptRevision)
    const reader = new WatchReader(backend, createPrefixRange(prefix), old)
    expect(isBackendError(await reader.next().catch((e: unknown) => e), 'CompactedError')).toBe(true)
    const allowed = new WatchReader(backend, createPrefixRange(prefix), keptRevision)
    expect((await allowed.changes(1)).map(getRevision)).toEqual([newest])
    await allowed.stop()
  })

  test('watch: from a future revision, sends only the changes after it', async ({ backend, prefix, put }) => {
    const now = await put('start')
    const reader = new WatchReader(backend, createPrefixRange(prefix), now + 2)
    const waiting = reader.changes(1)
    await put('a')
    await put('b')
    const third = await put('c')
    expect((await waiting).map(getRevision)).toEqual([third])
    await reader.stop()
  })

  test('watch: ends without error when aborted', async ({ backend, prefix, put }) => {
    const start = await put('start')
    const abort = new AbortController()
    const messages = backend.watch(createPrefixRange(prefix), start, { signal: abort.signal })[Symbol.asyncIterator]()
    const waiting = messages.next()
    abort.abort()
    expect((await waiting).done).toBe(true)
    const never = backend.watch(createPrefixRange(prefix), start, { signal: AbortSignal.abort() })[Symbol.asyncIterator]()
    expect((await never.next()).done).toBe(true)
  })

  test('watch: a reader that stops does not block others', async ({ backend, prefix, put }) => {
    const start = await put('start')
    const idle = Array.from({ length: 20 }, () => new WatchReader(backend, createPrefixRange(prefix), start))
    for (const reader of idle) void reader.next()
    const reader = new WatchReader(backend, createPrefixRange(prefix), start)
    for (let i = 0; i < 30; i++) await put('a', String(i))
    expect(await reader.changes(30)).toHaveLength(30)
    for (const openReader of [...idle, reader]) await openReader.stop()
  })
}
