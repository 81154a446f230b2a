import { expect } from 'vitest'
import type { Transaction } from '../backend.ts'
import { createPrefixRange } from '../object-key.ts'
import type { DeclareBackendTest } from './backend-suite.ts'
import { waitFor } from './watch-reader.ts'

const decodeText = (value: Uint8Array | undefined): string | undefined => value && Buffer.from(value).toString()

export function defineReadWriteTests(test: DeclareBackendTest): void {
  test('an absent key is not an error', async ({ backend, prefix }) => {
    const { entry, revision } = await backend.get(`${prefix}none`)
    expect(entry).toBeUndefined()
    expect(revision).toBeGreaterThan(0)
    expect(await backend.list(createPrefixRange(prefix))).toEqual({ entries: [], revision, count: 0, more: false })
  })

  test('reads a value with its createRevision and modRevision', async ({ backend, prefix, put }) => {
    const created = await put('a', 'one')
    const changed = await put('a', 'two')
    expect(changed).toBeGreaterThan(created)
    const { entry, revision } = await backend.get(`${prefix}a`)
    expect(entry).toMatchObject({ key: `${prefix}a`, createRevision: created, modRevision: changed, lease: 0 })
    expect(decodeText(entry?.value)).toBe('two')
    expect(revision).toBeGreaterThanOrEqual(changed)
  })

  test('a key that is put after its deletion gets a new createRevision', async ({ backend, prefix, put, delete: remove }) => {
    await put('a')
    const deleted = await remove('a')
    expect((await backend.get(`${prefix}a`)).entry).toBeUndefined()
    const newRevision = await put('a')
    expect(newRevision).toBeGreaterThan(deleted)
    expect((await backend.get(`${prefix}a`)).entry?.createRevision).toBe(newRevision)
  })

  test('a value may be any bytes', async ({ backend, prefix }) => {
    for (const value of [new Uint8Array(0), Uint8Array.of(1, 1, 1, 0, 255), new Uint8Array(300_000).fill(7)]) {
      await backend.commit({ compare: [], operations: [{ type: 'put', key: `${prefix}a`, value: value.slice() }] })
      expect(Buffer.compare((await backend.get(`${prefix}a`)).entry!.value, value)).toBe(0)
    }
  })

  test('a list is in UTF-8 order', async ({ backend, prefix, put }) => {
    const names = ['a', 'a/b', 'a0', 'ab', 'b', 'Z', 'z\uffff', 'z\u{10000}', 'z\ue000', 'é', 'zz', '~']
    for (const name of names) await put(name)
    const { entries } = await backend.list(createPrefixRange(prefix))
    const compareBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))
    expect(entries.map((e) => e.key)).toEqual(names.map((name) => prefix + name).sort(compareBytes))
  })

  test('a range is half-open, and without an end contains one key', async ({ backend, prefix, put }) => {
    for (const name of ['a', 'b', 'ba', 'c']) await put(name)
    const list = async (start: string, end?: string): Promise<string[]> => {
      const page = await backend.list({ start: prefix + start, end: end === undefined ? undefined : prefix + end })
      expect(page.count).toBe(page.entries.length)
      return page.entries.map((e) => e.key.slice(prefix.length))
    }
    expect(await list('a', 'c')).toEqual(['a', 'b', 'ba'])
    expect(await list('a\0', 'c')).toEqual(['b', 'ba'])
    expect(await list('b')).toEqual(['b'])
    expect(await list('bb')).toEqual([])
    expect(await list('c', 'a')).toEqual([])
  })

  test('a limit applies to the entries but not to the count', async ({ backend, prefix, put }) => {
    for (let i = 0; i < 5; i++) await put(`k${i}`)
    const first = await backend.list(createPrefixRange(prefix), { limit: 2 })
    expect([first.entries.length, first.count, first.more]).toEqual([2, 5, true])
    const secondPage = await backend.list({ ...createPrefixRange(prefix), start: `${first.entries[1]!.key}\0` }, { limit: 3 })
    expect([secondPage.entries.length, secondPage.count, secondPage.more]).toEqual([3, 3, false])
    const countResult = await backend.list(createPrefixRange(prefix), { countOnly: true })
    expect([countResult.entries.length, countResult.count]).toEqual([0, 5])
  })

  test('a failed compare writes nothing and returns the current entries', async ({ backend, prefix, put }) => {
    const revision = await put('a', 'old')
    const key = `${prefix}a`
    const result = await backend.commit({
      compare: [
        { key, modRevision: 0 },
        { key: `${prefix}none`, modRevision: 0 },
      ],
      operations: [{ type: 'put', key, value: Buffer.from('new') }],
    })
    if (result.committed) throw new Error('expected a failed compare')
    expect(result.revision).toBeGreaterThanOrEqual(revision)
    expect(result.current.map((e) => e?.modRevision)).toEqual([revision, undefined])
    expect(decodeText((await backend.get(key)).entry?.value)).toBe('old')
  })

  test('a compare with an old revision fails', async ({ backend, prefix, put, delete: remove }) => {
    const old = await put('a')
    await put('a')
    const key = `${prefix}a`
    const tryDelete = async (modRevision: number): Promise<boolean> =>
      (await backend.commit({ compare: [{ key, modRevision }], operations: [{ type: 'delete', key }] })).committed
    expect(await tryDelete(old)).toBe(false)
    await remove('a')
    expect(await tryDelete(old)).toBe(false)
    expect((await backend.commit({ compare: [{ key, modRevision: 0 }], operations: [] })).committed).toBe(true)
  })

  test('all operations of a transaction get the same revision', async ({ backend, prefix, put }) => {
    await put('gone')
    const { revision } = await backend.commit({
      compare: [],
      operations: [
        { type: 'put', key: `${prefix}a`, value: Buffer.from('1') },
        { type: 'put', key: `${prefix}b`, value: Buffer.from('2') },
        { type: 'delete', key: `${prefix}gone` },
      ],
    })
    const { entries } = await backend.list(createPrefixRange(prefix))
    expect(entries.map((e) => [e.key.slice(prefix.length), e.modRevision])).toEqual([
      ['a', revision],
      ['b', revision],
    ])
  })

  test('a transaction without a change creates no revision', async ({ backend, prefix, put }) => {
    const oldRevision = await put('a')
    await backend.commit({ compare: [], operations: [] })
    await backend.commit({ compare: [], operations: [{ type: 'delete', key: `${prefix}none` }] })
    expect(await put('b')).toBe(oldRevision + 1)
  })

  test('only one of many concurrent creations of a key succeeds', async ({ backend, prefix }) => {
    const key = `${prefix}a`
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        backend.commit({ compare: [{ key, modRevision: 0 }], operations: [{ type: 'put', key, value: Buffer.from(String(i)) }] }),
      ),
    )
    const committed = results.filter((result) => result.committed)
    expect(committed).toHaveLength(1)
    for (const result of results) {
      if (!result.committed) expect(result.current[0]?.modRevision).toBe(committed[0]!.revision)
    }
  })

  test('concurrent increments are not lost', async ({ backend, prefix, put }) => {
    const key = `${prefix}n`
    await put('n', '0')
    const add = async (): Promise<void> => {
      for (;;) {
        const { entry } = await backend.get(key)
        const value = Buffer.from(String(Number(decodeText(entry!.value)) + 1))
        const compare = [{ key, modRevision: entry!.modRevision }]
        if ((await backend.commit({ compare, operations: [{ type: 'put', key, value }] })).committed) return
      }
    }
    await Promise.all(Array.from({ length: 8 }, async () => [await add(), await add(), await add()]))
    expect(decodeText((await backend.get(key)).entry?.value)).toBe('24')
  })

  test('concurrent writes have different revisions, and later reads see them', async ({ backend, prefix, put }) => {
    const revisions = await Promise.all(Array.from({ length: 50 }, (_, i) => put(`k${i}`)))
    expect(new Set(revisions).size).toBe(50)
    const { entries, revision } = await backend.list(createPrefixRange(prefix))
    expect(entries).toHaveLength(50)
    expect(revision).toBeGreaterThanOrEqual(Math.max(...revisions))
  })

  test('an invalid transaction is refused with an error that names the invalid member, and nothing is written', async ({
    backend,
    prefix,
    put,
  }) => {
    const oldRevision = await put('a', 'kept')
    const value = Buffer.from('v')
    const compare: unknown[] = []
    const validPut = { type: 'put', key: `${prefix}good`, value }
    const createTransaction = (operation: object): unknown => ({
      compare,
      operations: [validPut, { type: 'put', key: `${prefix}a`, value, ...operation }],
    })
    const cases: [transaction: unknown, message: string][] = [
      [undefined, 'the transaction must be { compare, operations }, not undefined'],
      [{ operations: [validPut] }, 'compare must be an array of { key, modRevision }, empty to compare nothing, not undefined'],
      [{ compare }, 'operations must be an array of puts and deletes, not undefined'],
      [{ compare: [{ modRevision: 0 }], operations: [validPut] }, 'compare[0].key must be a string, not undefined'],
      [
        { compare: [{ key: `${prefix}a`, modRevision: String(oldRevision) }], operations: [validPut] },
        `compare[0].modRevision must be an integer, 0 for an absent key, not a string ("${oldRevision}")`,
      ],
      [{ compare, operations: [undefined] }, 'operations[0].type must be "put" or "delete", not undefined'],
      [createTransaction({ type: 'PUT' }), 'operations[1].type must be "put" or "delete", not a string ("PUT")'],
      [createTransaction({ key: undefined }), 'operations[1].key must be a string that is not empty, not undefined'],
      [createTransaction({ key: '' }), 'operations[1].key must be a string that is not empty, not an empty string'],
      [createTransaction({ type: 'delete', key: 7 }), 'operations[1].key must be a string that is not empty, not 7'],
      [createTransaction({ value: undefined }), 'operations[1].value must be a Uint8Array (a Buffer is one), not undefined'],
      [createTransaction({ value: 'text' }), 'operations[1].value must be a Uint8Array (a Buffer is one), not a string ("text")'],
      [createTransaction({ value: [1, 2] }), 'operations[1].value must be a Uint8Array (a Buffer is one), not an array'],
      [
        createTransaction({ value: new DataView(new ArrayBuffer(1)) }),
        'operations[1].value must be a Uint8Array (a Buffer is one), not a DataView',
      ],
      [createTransaction({ lease: 'x' }), 'operations[1].lease must be a lease from grantLease, not a string ("x")'],
    ]
    for (const [transaction, message] of cases)
      await expect(waitFor(backend.commit(transaction as Transaction), 'a refusal'), message).rejects.toMatchObject({
        name: 'TypeError',
        message,
      })
    const { entries } = await backend.list(createPrefixRange(prefix))
    expect(entries.map(({ key, modRevision }) => [key, modRevision])).toEqual([[`${prefix}a`, oldRevision]])
    await put('b')
  })

  test('a read with an aborted signal rejects', async ({ backend, prefix }) => {
    await expect(backend.get(`${prefix}a`, { signal: AbortSignal.abort() })).rejects.toThrow()
    await expect(backend.get(`${prefix}a`, { signal: AbortSignal.abort(), aborted: true })).rejects.toThrow()
  })

  test('a read does not create a lazy signal if `aborted` is set', async ({ backend, put, prefix }) => {
    await put('a')
    const controller = new AbortController()
    const options = {
      aborted: false,
      get signal() {
        return controller.signal
      },
    }
    expect((await backend.get(`${prefix}a`, options)).entry?.key).toBe(`${prefix}a`)
    controller.abort(new Error('gone'))
    await expect(backend.get(`${prefix}a`, { ...options, aborted: true })).rejects.toThrow('gone')
  })
}
