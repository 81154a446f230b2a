import { openEtcd3 } from '@keelson/backend-etcd3'
import { isBackendError, createKeyRange, createPrefixRange, type Backend, type Change, type Operation } from '@keelson/storagebackend'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type EtcdProcess, startEtcd } from '../real-parts/etcd-process.ts'
import { findEtcd } from '../real-parts/find-etcd.ts'
import { startTcpProxy } from '../real-parts/tcp-proxy.ts'

const binary = findEtcd()
const put = (key: string, value: string): Operation => ({ type: 'put', key, value: Buffer.from(value) })
const readRevision = (change: Change): number => (change.type === 'put' ? change.entry.modRevision : change.revision)

describe.skipIf(binary === undefined)('broken connections to etcd', { timeout: 30_000 }, () => {
  let etcd: EtcdProcess
  let direct: Backend
  beforeAll(async () => {
    etcd = await startEtcd(binary ?? '')
    direct = await openEtcd3({ transport: { serverList: [etcd.url] }, compactionInterval: 0 })
  })
  afterAll(async () => {
    await direct[Symbol.asyncDispose]()
    await etcd[Symbol.asyncDispose]()
  })

  test('a watch whose connection is cut repeatedly while it catches up with 2,400 revisions delivers each change once', async () => {
    const prefix = '/catch-up/'
    const start = (await direct.get('x')).revision
    const written: { revision: number; keys: number }[] = []
    const filler = 'x'.repeat(800)
    await Promise.all(
      Array.from({ length: 16 }, async (_, writer) => {
        for (let i = 0; i < 150; i++) {
          // Makes some revisions large, so that etcd's fragments, which have a size limit, end inside a revision.
          const keys = i % 10 === 0 ? 20 : 1
          const operations = Array.from({ length: keys }, (_unused, k) => put(`${prefix}${writer}-${k}`, `${i}${filler}`))
          const { revision } = await direct.commit({ compare: [], operations })
          written.push({ revision, keys })
        }
      }),
    )
    written.sort((a, b) => a.revision - b.revision)
    const expected = written.flatMap(({ revision, keys }) => Array.from({ length: keys }, () => revision))

    await using proxy = await startTcpProxy(etcd.port)
    await using backend = await openEtcd3({ transport: { serverList: [proxy.url] }, compactionInterval: 0 })
    // etcd's fragments have 2 MB; at least one must arrive each time.
    proxy.cutAfter(...Array.from({ length: 20 }, () => 2_300_000 + Math.random() * 1_000_000))
    proxy.cut()
    const before = proxy.connections
    const abort = new AbortController()
    const seen: number[] = []
    for await (const message of backend.watch(createPrefixRange(prefix), start, { signal: abort.signal })) {
      if (message.type === 'progress') continue
      const revisions = message.changes.map(readRevision)
      for (const revision of new Set(revisions)) {
        // All changes of a revision are delivered, or none.
        expect(revisions.filter((each) => each === revision)).toHaveLength(written.find((each) => each.revision === revision)!.keys)
      }
      seen.push(...revisions)
      if (seen.length >= expected.length) abort.abort()
    }
    expect(seen).toEqual(expected)
    expect(proxy.connections - before).toBeGreaterThan(2)
  })

  test('a live watch survives cuts at random moments under load', async () => {
    await using proxy = await startTcpProxy(etcd.port)
    await using backend = await openEtcd3({ transport: { serverList: [proxy.url] }, compactionInterval: 0 })
    const start = (await direct.get('x')).revision
    const abort = new AbortController()
    const written: number[] = []
    const writing = (async () => {
      for (let i = 0; i < 1500; i++) {
        written.push((await direct.commit({ compare: [], operations: [put(`/live/${i % 50}`, String(i))] })).revision)
        if (i % 100 === 50) proxy.cut()
      }
    })()
    const seen: number[] = []
    for await (const message of backend.watch(createPrefixRange('/live/'), start, { signal: abort.signal })) {
      if (message.type === 'changes') seen.push(...message.changes.map(readRevision))
      if (seen.length >= 1500) abort.abort()
    }
    await writing
    expect(seen).toEqual(written)
  })

  test('a watch with a slow reader ends without a delay for others', async () => {
    await using backend = await openEtcd3({ transport: { serverList: [etcd.url] }, watchQueue: { changes: 100 } })
    const start = (await direct.get('x')).revision
    const { signal } = new AbortController()
    const slow = backend.watch(createPrefixRange('/slow/'), start, { signal })[Symbol.asyncIterator]()
    for (let i = 0; i < 150; i++) await backend.commit({ compare: [], operations: [put('/slow/a', String(i))] })
    await backend.requestProgress()
    await expect
      .poll(() =>
        slow.next().then(
          () => undefined,
          (error: unknown) => (error as Error).name,
        ),
      )
      .toBe('SlowWatcherError')
  })

  describe('a write whose response is lost', () => {
    interface Lost {
      readonly backend: Backend
      readonly key: string
      /**
       * Writes to etcd and drops the response. Returns the outcome of the write, or the name of the error. Runs `runMeanwhile` after the write
       * was applied or dropped.
       */
      dropMessages(
        what: 'requests' | 'answers',
        compare: number | undefined,
        operation: Operation,
        runMeanwhile?: () => Promise<unknown>,
      ): Promise<unknown>
    }
    let number = 0
    async function withLoss(run: (lost: Lost) => Promise<void>): Promise<void> {
      await using proxy = await startTcpProxy(etcd.port)
      await using backend = await openEtcd3({ transport: { serverList: [proxy.url] }, compactionInterval: 0, retryTimeout: 700 })
      const key = `/lost/${number++}`
      await run({
        backend,
        key,
        async dropMessages(what, compare, operation, meanwhile) {
          const before = (await direct.get(key)).entry?.modRevision
          proxy.swallow(what)
          const outcome = backend
            .commit({ compare: compare === undefined ? [] : [{ key, modRevision: compare }], operations: [operation] })
            .catch((error: unknown) => (error as Error).name)
          if (what === 'answers') await expect.poll(async () => (await direct.get(key)).entry?.modRevision).not.toBe(before)
          else await new Promise((resolve) => setTimeout(resolve, 50))
          await meanwhile?.()
          proxy.swallow(undefined)
          proxy.cut()
          return outcome
        },
      })
    }
    const commitDirectly = async (...operations: Operation[]): Promise<number> =>
      (await direct.commit({ compare: [], operations })).revision
    const readHistory = async (key: string, after: number, count: number): Promise<Change[]> => {
      const abort = new AbortController()
      const changes: Change[] = []
      for await (const message of direct.watch(createKeyRange(key), after, { signal: abort.signal })) {
        if (message.type === 'changes') changes.push(...message.changes)
        if (changes.length >= count) abort.abort()
      }
      return changes
    }

    test('is reported as committed if it was applied, and applied once', () =>
      withLoss(async ({ key, dropMessages }) => {
        const created = (await dropMessages('answers', 0, put(key, 'one'))) as { committed: boolean; revision: number }
        expect(created).toEqual({ committed: true, revision: (await direct.get(key)).entry!.modRevision })
        const changed = (await dropMessages('answers', created.revision, put(key, 'two'))) as { committed: boolean; revision: number }
        expect(changed).toEqual({ committed: true, revision: (await direct.get(key)).entry!.modRevision })
        expect(changed.revision).toBe(created.revision + 1)
        const unguarded = (await dropMessages('answers', undefined, put(key, 'three'))) as { revision: number }
        expect(unguarded.revision).toBe(changed.revision + 1)
      }))

    test('is found in the history if it was applied and then overwritten or deleted', () =>
      withLoss(async ({ key, dropMessages }) => {
        const base = await commitDirectly(put(key, 'base'))
        expect(await dropMessages('answers', base, put(key, 'mine'), () => commitDirectly(put(key, 'other')))).toEqual({
          committed: true,
          revision: base + 1,
        })
        await commitDirectly({ type: 'delete', key })
        const again = (await dropMessages('answers', 0, put(key, 'mine again'), () => commitDirectly({ type: 'delete', key }))) as {
          revision: number
        }
        expect(again).toMatchObject({ committed: true })
        expect(
          (await readHistory(key, again.revision - 1, 1)).map(
            (change) => change.type === 'put' && Buffer.from(change.entry.value).toString(),
          ),
        ).toContain('mine again')
      }))

    test('is reported as rejected if it never arrived and another client wrote', () =>
      withLoss(async ({ key, dropMessages }) => {
        const base = await commitDirectly(put(key, 'base'))
        const result = await dropMessages('requests', base, put(key, 'mine'), () => commitDirectly(put(key, 'other')))
        expect(result).toMatchObject({ committed: false, current: [{ modRevision: base + 1, value: Buffer.from('other') }] })
        const gone = await dropMessages('requests', base + 1, put(key, 'mine'), () => commitDirectly({ type: 'delete', key }))
        expect(gone).toMatchObject({ committed: false, current: [undefined] })
      }))

    test('has an unknown outcome if it never arrived and no other client wrote, because it may still be applied', () =>
      withLoss(async ({ key, dropMessages }) => {
        const base = await commitDirectly(put(key, 'base'))
        expect(await dropMessages('requests', base, put(key, 'mine'))).toBe('UnknownOutcomeError')
        expect((await direct.get(key)).entry?.modRevision).toBe(base)
      }))

    test('has an unknown outcome for a deletion, unless a change proves that it was not applied', () =>
      withLoss(async ({ key, dropMessages }) => {
        const base = await commitDirectly(put(key, 'base'))
        expect(await dropMessages('answers', base, { type: 'delete', key })).toBe('UnknownOutcomeError')
        const next = await commitDirectly(put(key, 'next'))
        const refused = await dropMessages('requests', next, { type: 'delete', key }, () => commitDirectly(put(key, 'other')))
        expect(refused).toMatchObject({ committed: false, current: [{ modRevision: next + 1 }] })
      }))
  })

  test('responses stay correct when etcd is killed and restarted under load', async () => {
    await using backend = await openEtcd3({ transport: { serverList: [etcd.url] }, compactionInterval: 0 })
    const start = (await backend.get('x')).revision
    const claims: { value: string; result: number | 'refused' | 'nothing' | 'unknown' }[] = []
    const stopAt = Date.now() + 3000
    const work = Promise.all(
      Array.from({ length: 8 }, async (_, worker) => {
        for (let i = 0; Date.now() < stopAt; i++) {
          const key = `/load/${i % 4}`
          const value = `${worker}-${i}`
          try {
            const { entry } = await backend.get(key)
            const result = await backend.commit({ compare: [{ key, modRevision: entry?.modRevision ?? 0 }], operations: [put(key, value)] })
            claims.push({ value, result: result.committed ? result.revision : 'refused' })
          } catch (error) {
            const name = (error as Error).name
            expect(isBackendError(error, 'UnknownOutcomeError') || isBackendError(error, 'UnavailableError'), String(error)).toBe(true)
            claims.push({ value, result: name === 'UnknownOutcomeError' ? 'unknown' : 'nothing' })
          }
        }
      }),
    )
    const abort = new AbortController()
    const seen = new Map<string, number>()
    let last = start
    const watching = (async () => {
      for await (const message of backend.watch(createPrefixRange('/load/'), start, { signal: abort.signal })) {
        if (message.type !== 'changes') continue
        for (const change of message.changes) {
          expect(readRevision(change)).toBeGreaterThan(last)
          last = readRevision(change)
          if (change.type === 'put') seen.set(Buffer.from(change.entry.value).toString(), last)
        }
      }
    })()
    for (let i = 0; i < 2; i++) {
      await new Promise((resolve) => setTimeout(resolve, 600))
      await etcd.kill()
      await etcd.start()
    }
    await work
    const { revision } = await backend.get('/load/0')
    await expect.poll(async () => (await backend.requestProgress(), last), { timeout: 5000 }).toBe(revision)
    abort.abort()
    await watching
    const acknowledged = claims.filter(({ result }) => typeof result === 'number')
    for (const { value, result } of acknowledged) expect(seen.get(value)).toBe(result)
    for (const { value } of claims.filter(({ result }) => result === 'refused' || result === 'nothing')) expect(seen.has(value)).toBe(false)
    expect(acknowledged.length).toBeGreaterThan(200)
  })
})
