import { openEtcd3 } from '@keelson/backend-etcd3'
import { isBackendError, createPrefixRange, type Backend, type Change } from '@keelson/storagebackend'
import { Etcd3 } from 'etcd3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type EtcdCluster, startEtcdCluster } from '../real-parts/etcd-cluster.ts'
import type { EtcdProcess } from '../real-parts/etcd-process.ts'
import { findEtcd } from '../real-parts/find-etcd.ts'

const binary = findEtcd()
const prefix = '/cluster/'

describe.skipIf(binary === undefined)('an etcd with three members', { timeout: 60_000 }, () => {
  let cluster: EtcdCluster
  beforeAll(async () => {
    cluster = await startEtcdCluster(binary ?? '', 3)
  }, 60_000)
  afterAll(() => cluster[Symbol.asyncDispose]())

  async function findLeader(): Promise<EtcdProcess> {
    for (const member of cluster.members) {
      const client = new Etcd3({ hosts: member.url })
      const status = await client.maintenance.status()
      client.close()
      if (status.leader === status.header.member_id) return member
    }
    throw new Error('the cluster has no leader')
  }

  /** Writes unique values one after the other. If the outcome of a write is unknown, records the value and continues. */
  async function writeAll(
    backend: Backend,
    key: string,
    count: number,
    wrote: (value: string, revision: number | undefined) => void,
  ): Promise<void> {
    for (let n = 0; n < count; n++) {
      const value = `${key} ${n}`
      const { entry } = await backend.get(key)
      const compare = [{ key, modRevision: entry?.modRevision ?? 0 }]
      try {
        const result = await backend.commit({ compare, operations: [{ type: 'put', key, value: Buffer.from(value) }] })
        if (!result.committed) throw new Error(`${value}: lost a race on a key with a single writer`)
        wrote(value, result.revision)
      } catch (error) {
        if (!isBackendError(error, 'UnknownOutcomeError')) throw error
        wrote(value, undefined)
      }
    }
  }

  test('after its leader is killed, writes continue and are applied at most once, and a watch loses nothing', async () => {
    const first = await findLeader()
    // The leader comes first, because calls go to the first available member.
    const serverList = [first, ...cluster.members.filter((member) => member !== first)].map(({ url }) => url)
    await using backend = await openEtcd3({ transport: { serverList }, compactionInterval: 0, callTimeout: 2000, retryTimeout: 4000 })
    const { revision: start } = await backend.get(prefix)

    const abort = new AbortController()
    const seen: { value: string; revision: number }[] = []
    let reached = start
    const watching = (async () => {
      for await (const message of backend.watch(createPrefixRange(prefix), start, { signal: abort.signal })) {
        expect(message.revision).toBeGreaterThanOrEqual(reached)
        reached = message.revision
        if (message.type === 'progress') continue
        for (const change of message.changes)
          if (change.type === 'put') seen.push({ value: Buffer.from(change.entry.value).toString(), revision: change.entry.modRevision })
      }
    })()

    const answered = new Map<string, number>()
    const unknown = new Set<string>()
    let killed: Promise<void> | undefined
    let afterKill = 0
    const recordWrite = (value: string, revision: number | undefined): void => {
      if (revision === undefined) unknown.add(value)
      else answered.set(value, revision)
      if (killed) afterKill++
      else if (answered.size >= 100) killed = first.kill()
    }
    await Promise.all(Array.from({ length: 8 }, (_, i) => writeAll(backend, `${prefix}${i}`, 40, recordWrite)))
    await killed
    expect(afterKill).toBeGreaterThan(150)
    // Only calls that were pending when the leader was killed can have an unknown outcome.
    expect(unknown.size).toBeLessThanOrEqual(8)

    const { revision: last } = await backend.get(prefix)
    await backend.requestProgress()
    await expect.poll(() => reached, { timeout: 20_000 }).toBeGreaterThanOrEqual(last)
    abort.abort()
    await watching
    expect(new Set(seen.map(({ value }) => value)).size).toBe(seen.length)
    expect(seen.map(({ revision }) => revision)).toEqual(Array.from({ length: seen.length }, (_, i) => start + 1 + i))
    for (const { value, revision } of seen) if (!unknown.has(value)) expect(answered.get(value)).toBe(revision)
    expect(seen.length).toBeGreaterThanOrEqual(answered.size)

    // The killed member returns as a follower and catches up.
    await first.start()
    await using other = await openEtcd3({ transport: { serverList: [first.url] }, compactionInterval: 0 })
    expect((await other.list(createPrefixRange(prefix))).entries).toEqual((await backend.list(createPrefixRange(prefix))).entries)
  })

  test('rejects reads and writes without a majority, and continues them and a watch once there is a majority', async () => {
    const [one, two, three] = cluster.members as [EtcdProcess, EtcdProcess, EtcdProcess]
    await using backend = await openEtcd3({
      transport: { serverList: [one.url] },
      compactionInterval: 0,
      callTimeout: 500,
      retryTimeout: 1000,
    })
    const key = `${prefix}majority`
    const write = (value: string): Promise<unknown> =>
      backend.commit({ compare: [], operations: [{ type: 'put', key, value: Buffer.from(value) }] })
    const abort = new AbortController()
    const { revision } = await backend.get(key)
    const watch = backend.watch({ start: key, end: undefined }, revision, { signal: abort.signal })[Symbol.asyncIterator]()
    await write('before')
    expect((await watch.next()).value).toMatchObject({ type: 'changes' })
    await Promise.all([two.kill(), three.kill()])
    await expect(backend.get(key)).rejects.toMatchObject({ name: 'UnavailableError' })
    await expect(backend.checkHealth()).rejects.toMatchObject({ name: 'UnavailableError' })
    await Promise.all([two.start(), three.start()])
    await expect
      .poll(
        () =>
          backend.checkHealth().then(
            () => true,
            () => false,
          ),
        { timeout: 20_000 },
      )
      .toBe(true)
    const next = watch.next()
    await write('after')
    for (let message = await next; ; message = await watch.next()) {
      if (message.value?.type !== 'changes') continue
      expect(message.value.changes.map((change: Change) => change.type === 'put' && Buffer.from(change.entry.value).toString())).toEqual([
        'after',
      ])
      break
    }
    abort.abort()
  })
})
