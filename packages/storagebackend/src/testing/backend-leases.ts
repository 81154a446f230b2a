import { expect } from 'vitest'
import { createPrefixRange } from '../object-key.ts'
import type { DeclareBackendTest } from './backend-suite.ts'
import { getRevision, WatchReader } from './watch-reader.ts'

export function defineLeaseTests(test: DeclareBackendTest): void {
  test('the keys of an expired lease are deleted in one revision, which watches see', async ({ backend, prefix, put, wait }) => {
    const start = await put('stays')
    const lease = await backend.grantLease(1)
    expect(lease).not.toBe(0)
    const reader = new WatchReader(backend, createPrefixRange(prefix), start)
    const put1 = await backend.commit({
      compare: [],
      operations: [
        { type: 'put', key: `${prefix}a`, value: Buffer.from('1'), lease },
        { type: 'put', key: `${prefix}b`, value: Buffer.from('2'), lease },
      ],
    })
    expect((await backend.get(`${prefix}a`)).entry?.lease).toBe(lease)
    await reader.changes(2)
    await wait(1100)
    const deleted = await reader.changes(2)
    expect(
      deleted.map((c) => [c.type, c.type === 'delete' && c.key.slice(prefix.length)]).sort((a, b) => (String(a) < String(b) ? -1 : 1)),
    ).toEqual([
      ['delete', 'a'],
      ['delete', 'b'],
    ])
    for (const change of deleted) {
      expect(getRevision(change)).toBeGreaterThan(put1.revision)
      expect(change.previous?.modRevision).toBe(put1.revision)
    }
    expect((await backend.list(createPrefixRange(prefix))).entries.map((e) => e.key)).toEqual([`${prefix}stays`])
    await reader.stop()
  })

  test('a key that was put again without the lease is not deleted', async ({ backend, prefix, put, wait }) => {
    const lease = await backend.grantLease(1)
    const operations = ['a', 'b'].map((key) => ({ type: 'put', key: prefix + key, value: Buffer.from('1'), lease }) as const)
    const { revision } = await backend.commit({ compare: [], operations })
    await put('a', 'again')
    const reader = new WatchReader(backend, createPrefixRange(prefix), revision)
    await wait(1100)
    expect((await reader.changes(2)).map((c) => c.type)).toEqual(['put', 'delete'])
    expect((await backend.list(createPrefixRange(prefix))).entries.map((e) => e.key)).toEqual([`${prefix}a`])
    await reader.stop()
  })

  test('a put with an unknown lease is refused', async ({ backend, prefix }) => {
    const operation = { type: 'put', key: `${prefix}a`, value: Buffer.from('1'), lease: 987_654_321 } as const
    await expect(backend.commit({ compare: [], operations: [operation] })).rejects.toThrow(/lease/)
    expect((await backend.get(operation.key)).entry).toBeUndefined()
  })
}
