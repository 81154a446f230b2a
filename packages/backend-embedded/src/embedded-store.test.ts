import { isBackendError, createPrefixRange, type Change, type Entry } from '@keelson/storagebackend'
import { createManualClock } from '@keelson/apimachinery/testing'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openMemory } from './index.ts'
import type { EmbeddedBackend } from './embedded-store.ts'

const put = (backend: EmbeddedBackend, key: string, value = ''): Promise<{ revision: number }> =>
  backend.commit({ compare: [], operations: [{ type: 'put', key, value: Buffer.from(value) }] })

it('returns the state at every revision of its history', async () => {
  const key = fc.nat(12).map((n) => `/k${n}`)
  const operation = fc.oneof(
    key.map((k) => ({ type: 'put', key: k, value: new Uint8Array(0) }) as const),
    key.map((k) => ({ type: 'delete', key: k }) as const),
  )
  const transaction = fc.record({
    compare: fc.array(fc.record({ key, stale: fc.boolean() }), { maxLength: 2 }),
    operations: fc.uniqueArray(operation, { maxLength: 4, selector: (o) => o.key }),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(transaction, { maxLength: 200, size: 'max' }), fc.nat(200), async (transactions, compactAt) => {
      await using backend = openMemory()
      const states: Map<string, number>[] = [new Map(), new Map()]
      let receivedChanges: Change[] = []
      const abort = new AbortController()
      const watching = (async () => {
        for await (const m of backend.watch(createPrefixRange('/'), 1, { signal: abort.signal }))
          if (m.type === 'changes') receivedChanges = receivedChanges.concat(m.changes)
      })()
      for (const t of transactions) {
        const now = states.at(-1)!
        const compare = t.compare.map((c) => ({ key: c.key, modRevision: (now.get(c.key) ?? 0) + (c.stale ? 1 : 0) }))
        const result = await backend.commit({ compare, operations: t.operations })
        const nextState = new Map(now)
        const revision = states.length
        let changed = false
        for (const o of t.operations) {
          if (o.type === 'put') nextState.set(o.key, revision)
          else if (!nextState.delete(o.key)) continue
          changed = true
        }
        const isCommitted = t.compare.every((c) => !c.stale)
        expect(result.committed).toBe(isCommitted)
        if (isCommitted && changed) states.push(nextState)
        expect(result.revision).toBe(states.length - 1)
      }
      const listRevisions = (entries: Iterable<Entry>): [string, number][] => Array.from(entries, (e) => [e.key, e.modRevision])
      const compareKeys = ([a]: [string, number], [b]: [string, number]): number => (a < b ? -1 : 1)
      const current = states.length - 1
      const compacted = Math.max(1, Math.min(compactAt, current))
      await backend.compact(compacted)
      for (let at = compacted; at <= current; at++) {
        const expected = [...states[at]!].sort(compareKeys)
        expect(listRevisions(backend.findSnapshot(at)!.scan(createPrefixRange('/')))).toEqual(expected)
      }
      expect(backend.findSnapshot(compacted - 1)).toBeUndefined()
      await new Promise((resolve) => setImmediate(resolve))
      await new Promise((resolve) => setImmediate(resolve))
      abort.abort()
      await watching
      // The state at each revision must equal the result of replaying all changes up to that revision.
      const played = new Map<string, number>()
      for (const change of receivedChanges) {
        const k = change.type === 'put' ? change.entry.key : change.key
        expect(change.previous?.modRevision).toBe(played.get(k))
        if (change.type === 'put') played.set(k, change.entry.modRevision)
        else played.delete(k)
      }
      expect([...played].sort(compareKeys)).toEqual([...states[current]!].sort(compareKeys))
    }),
    { numRuns: 40 },
  )
})

describe('history', () => {
  it('the history is limited to a number of revisions', async () => {
    await using backend = openMemory({ history: { revisions: 500 } })
    for (let i = 0; i < 2000; i++) await put(backend, `/k${i % 50}`)
    expect(backend.getCompactedRevision()).toBeGreaterThanOrEqual(2001 - 600)
    expect(backend.getCompactedRevision()).toBeLessThanOrEqual(2001 - 500)
    expect(backend.findSnapshot(1600)!.count(createPrefixRange('/'))).toBe(50)
    expect(backend.findSnapshot(1000)).toBeUndefined()
  })

  it('the history is limited to a number of bytes', async () => {
    await using backend = openMemory({ history: { bytes: 1_000_000 } })
    for (let i = 0; i < 300; i++) await put(backend, '/k', 'x'.repeat(10_000))
    expect(backend.takeSnapshot().revision - backend.getCompactedRevision()).toBeLessThan(100 + 64)
    expect(backend.takeSnapshot().revision - backend.getCompactedRevision()).toBeGreaterThan(50)
  })

  it('the history is limited to a period of time', async () => {
    const clock = createManualClock()
    await using backend = openMemory({ clock })
    for (let i = 0; i < 100; i++) await put(backend, '/k')
    clock.advance(5 * 60_000 + 1)
    const { revision } = await put(backend, '/k')
    expect(backend.getCompactedRevision()).toBe(revision - 1)
    const old = backend.get('/k', { at: 50 })
    await expect(old).rejects.toThrow(/compacted/)
  })
})

describe('watch', () => {
  it('a watch ends when its reader is too slow', async () => {
    await using backend = openMemory({ watchQueue: { changes: 50 } })
    const abort = new AbortController()
    const messages = backend.watch(createPrefixRange('/'), 1, { signal: abort.signal })[Symbol.asyncIterator]()
    const first = messages.next()
    await put(backend, '/a')
    await first
    const second = messages.next()
    await put(backend, '/a')
    await second
    for (let i = 0; i < 60; i++) await put(backend, '/a')
    expect(isBackendError(await messages.next().catch((e: unknown) => e), 'SlowWatcherError')).toBe(true)
  })

  it('a watch sends progress to an idle reader', async () => {
    const clock = createManualClock()
    await using backend = openMemory({ clock, progressInterval: 1000 })
    const abort = new AbortController()
    const messages = backend.watch(createPrefixRange('/a/'), 1, { signal: abort.signal })[Symbol.asyncIterator]()
    const nextMessage = messages.next()
    await put(backend, '/b/1')
    await new Promise((resolve) => setImmediate(resolve))
    clock.advance(1000)
    expect((await nextMessage).value).toEqual({ type: 'progress', revision: 2 })
    abort.abort()
  })
})

describe('fork', () => {
  it('a fork contains the history up to the fork, without later writes of the forked store', async () => {
    await using origin = openMemory()
    for (let i = 0; i < 1000; i++) await put(origin, `/k${i}`, 'origin')
    await using fork = origin.fork()
    await put(fork, '/k1', 'fork')
    await put(origin, '/k2', 'changed')
    expect(Buffer.from(origin.takeSnapshot().get('/k1')!.value).toString()).toBe('origin')
    expect(Buffer.from(fork.takeSnapshot().get('/k1')!.value).toString()).toBe('fork')
    expect(Buffer.from(fork.takeSnapshot().get('/k2')!.value).toString()).toBe('origin')
    expect(fork.takeSnapshot().revision).toBe(origin.takeSnapshot().revision)
  })

  it('a fork may have a clock of its own', async () => {
    const clock = createManualClock()
    await using origin = openMemory()
    const lease = await origin.grantLease(60)
    await origin.commit({ compare: [], operations: [{ type: 'put', key: '/leased', value: Buffer.from('1'), lease }] })
    await using fork = origin.fork({ clock })
    clock.advance(Date.now() - clock.now() + 61_000)
    expect([origin, fork].map((store) => store.takeSnapshot().get('/leased') !== undefined)).toEqual([true, false])
  })
})

describe('restore', () => {
  const readAll = (store: EmbeddedBackend): readonly (readonly [string, string])[] =>
    Array.from(store.takeSnapshot().scan(createPrefixRange('/')), ({ key, value }) => [key, Buffer.from(value).toString()] as const)

  it('restores an image as one revision that watches see', async () => {
    await using store = openMemory()
    for (let i = 0; i < 100; i++) await put(store, `/k${i}`, 'origin')
    const image = store.image()
    const before = readAll(store)
    await put(store, '/k1', 'changed')
    await put(store, '/new')
    await store.commit({ compare: [], operations: [{ type: 'delete', key: '/k2' }] })
    const { revision } = store.takeSnapshot()
    const abort = new AbortController()
    const watch = store.watch(createPrefixRange('/'), revision, { signal: abort.signal })[Symbol.asyncIterator]()
    await store.restore(image)
    expect(readAll(store)).toEqual(before)
    const { value } = await watch.next()
    expect(value).toMatchObject({ type: 'changes', changes: [{ type: 'put' }, { type: 'put' }, { type: 'delete', key: '/new' }] })
    expect(store.takeSnapshot().revision).toBe(revision + 1)
    await store.restore(image)
    expect(store.takeSnapshot().revision).toBe(revision + 1)
    abort.abort()
  })

  it('an image can be opened, and restored into another store', async () => {
    await using origin = openMemory()
    await put(origin, '/a', 'origin')
    const image = origin.image()
    await using opened = openMemory({ image })
    await put(opened, '/a', 'opened')
    await using other = openMemory()
    await put(other, '/b')
    await other.restore(image)
    expect([readAll(origin), readAll(opened), readAll(other)]).toEqual([[['/a', 'origin']], [['/a', 'opened']], [['/a', 'origin']]])
  })

  it('restores keys with their leases, except for expired ones', async () => {
    const clock = createManualClock()
    await using store = openMemory({ clock })
    const putLeased = async (key: string, seconds: number): Promise<void> => {
      const lease = await store.grantLease(seconds)
      await store.commit({ compare: [], operations: [{ type: 'put', key, value: Buffer.from('1'), lease }] })
    }
    await putLeased('/short', 10)
    await putLeased('/long', 60)
    const image = store.image()
    await store.commit({ compare: [], operations: [{ type: 'delete', key: '/short' }] })
    await store.commit({ compare: [], operations: [{ type: 'delete', key: '/long' }] })
    clock.advance(20_000)
    await store.restore(image)
    expect(readAll(store)).toEqual([['/long', '1']])
    clock.advance(41_000)
    expect(readAll(store)).toEqual([])
  })

  it('does not use leases of another store that have the same ids', async () => {
    const clock = createManualClock()
    await using origin = openMemory({ clock })
    await using other = openMemory({ clock })
    for (const [store, seconds] of [
      [origin, 60],
      [other, 10],
    ] as const) {
      const lease = await store.grantLease(seconds)
      await store.commit({ compare: [], operations: [{ type: 'put', key: '/a', value: Buffer.from('1'), lease }] })
    }
    await other.restore(origin.image())
    clock.advance(20_000)
    expect(readAll(other)).toEqual([['/a', '1']])
    clock.advance(41_000)
    expect(readAll(other)).toEqual([])
  })
})

it('refuses requests after disposal', async () => {
  const backend = openMemory()
  const abort = new AbortController()
  const watching = backend.watch(createPrefixRange('/'), 1, { signal: abort.signal })[Symbol.asyncIterator]().next()
  await backend[Symbol.asyncDispose]()
  for (const call of [watching, backend.get('/a'), put(backend, '/a'), backend.checkHealth(), backend.grantLease(1)]) {
    await expect(call).rejects.toThrow(/closed/)
  }
})
