import { expect } from 'vitest'
import { hasCompaction, hasSizeStatistics, hasSnapshots } from '../backend.ts'
import { isBackendError } from '../backend-errors.ts'
import { createPrefixRange } from '../object-key.ts'
import type { DeclareBackendTest } from './backend-suite.ts'

export function defineHistoryTests(test: DeclareBackendTest): void {
  test('reads past revisions', async ({ backend, prefix, put, delete: remove }) => {
    const history: [number, string[]][] = []
    const model = new Map<string, string>()
    for (let i = 0; i < 150; i++) {
      const key = `k${(i * 7) % 20}`
      const isDelete = i % 3 === 2 && model.has(key)
      if (isDelete) model.delete(key)
      else model.set(key, String(i))
      history.push([isDelete ? await remove(key) : await put(key, String(i)), [...model].map(([k, v]) => `${k}=${v}`).sort()])
    }
    for (const [at, state] of history) {
      const { entries, revision, count } = await backend.list(createPrefixRange(prefix), { at })
      expect(entries.map((e) => `${e.key.slice(prefix.length)}=${Buffer.from(e.value).toString()}`).sort()).toEqual(state)
      expect(count).toBe(state.length)
      expect(revision).toBeGreaterThanOrEqual(history.at(-1)![0])
    }
    const [first] = history[0]!
    expect((await backend.get(`${prefix}k0`, { at: first })).entry?.modRevision).toBe(first)
  })

  test('refuses to read future revisions', async ({ backend, prefix, put }) => {
    const revision = await put('a')
    const error = await backend.list(createPrefixRange(prefix), { at: revision + 1000 }).catch((e: unknown) => e)
    expect(isBackendError(error, 'FutureRevisionError')).toBe(true)
    await expect(backend.get(`${prefix}a`, { at: revision + 1000 })).rejects.toThrow(/future/)
  })

  test('compaction drops history, and keeps the state at its revision', async ({ backend, prefix, put }) => {
    if (!hasCompaction(backend)) return
    const old = await put('a', 'old')
    const keptRevision = await put('a', 'kept')
    const nextRevision = await put('b')
    await backend.compact(keptRevision)
    expect(backend.getCompactedRevision()).toBe(keptRevision)
    const error = await backend.get(`${prefix}a`, { at: old }).catch((e: unknown) => e)
    expect(isBackendError(error, 'CompactedError')).toBe(true)
    expect((await backend.get(`${prefix}a`, { at: keptRevision })).entry?.modRevision).toBe(keptRevision)
    expect((await backend.list(createPrefixRange(prefix), { at: keptRevision })).count).toBe(1)
    expect((await backend.list(createPrefixRange(prefix), { at: nextRevision })).count).toBe(2)
    expect((await backend.list(createPrefixRange(prefix))).count).toBe(2)
    await expect(backend.compact(nextRevision + 1000)).rejects.toThrow()
  })

  test('a snapshot does not change', async ({ backend, prefix, put, delete: remove }) => {
    if (!hasSnapshots(backend)) return
    for (let i = 0; i < 100; i++) await put(`k${i}`)
    const snapshot = backend.takeSnapshot()
    const revision = await put('k1', 'changed')
    await remove('k2')
    await put('new')
    expect(snapshot.revision).toBe(revision - 1)
    expect(snapshot.count(createPrefixRange(prefix))).toBe(100)
    expect([...snapshot.scan(createPrefixRange(prefix))]).toHaveLength(100)
    expect(Buffer.from(snapshot.get(`${prefix}k1`)!.value).toString()).toBe('k1')
    expect(snapshot.get(`${prefix}new`)).toBeUndefined()
    expect(backend.findSnapshot(revision)?.get(`${prefix}k1`)?.modRevision).toBe(revision)
    expect(backend.findSnapshot(revision)?.get(`${prefix}k2`)).toBeDefined()
    expect(backend.findSnapshot(revision + 1000)).toBeUndefined()
  })

  test('the size is available', async ({ backend, put }) => {
    if (!hasSizeStatistics(backend)) return
    await put('a', 'x'.repeat(100_000))
    expect(await backend.measureSize()).toBeGreaterThan(100_000)
  })
}
