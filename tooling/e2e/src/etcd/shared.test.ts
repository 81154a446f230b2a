import { once } from 'node:events'
import { connect as connectTcp } from 'node:net'
import { compactionRecord, openEtcd3, type Etcd3Options } from '@keelson/backend-etcd3'
import { createObjectStore, createPrefixRange, type Backend, type Compaction } from '@keelson/storagebackend'
import { createManualClock } from '@keelson/apimachinery/testing'
import { createTestCodec, testObject } from '@keelson/storagebackend/testing'
import { Etcd3 } from 'etcd3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type EtcdProcess, startEtcd } from '../real-parts/etcd-process.ts'
import { findEtcd } from '../real-parts/find-etcd.ts'

const binary = findEtcd()

describe.skipIf(binary === undefined)('an etcd that several servers share', { timeout: 20_000 }, () => {
  let etcd: EtcdProcess
  let client: Etcd3
  beforeAll(async () => {
    etcd = await startEtcd(binary ?? '')
    client = new Etcd3({ hosts: etcd.url })
  })
  afterAll(async () => {
    client.close()
    await etcd[Symbol.asyncDispose]()
  })
  const open = (options: Partial<Etcd3Options> = {}): Promise<Backend & Compaction> =>
    openEtcd3({ transport: { serverList: [etcd.url] }, compactionInterval: 0, ...options })
  const write = async (backend: Backend, value: string): Promise<number> =>
    (await backend.commit({ compare: [], operations: [{ type: 'put', key: '/registry/a', value: Buffer.from(value) }] })).revision
  const record = async (): Promise<{ version: number; value: number }> => {
    const [kv] = (await client.kv.range({ key: Buffer.from(compactionRecord) })).kvs
    return { version: Number(kv?.version ?? 0), value: Number(kv?.value.toString() ?? 0) }
  }

  test('in each interval, one of three servers compacts to the revision of the previous interval, and all servers learn that revision', async () => {
    const clock = createManualClock()
    const backends = await Promise.all([1, 2, 3].map(() => open({ compactionInterval: 300_000, clock })))
    const old = await write(backends[0]!, 'old')
    const turns: { version: number; value: number }[] = []
    for (let turn = 1; turn <= 4; turn++) {
      await write(backends[0]!, String(turn))
      clock.advance(300_000)
      await expect.poll(async () => (await record()).version).toBe(turn)
      // The other servers see that the compaction is done and do not change the record.
      await new Promise((resolve) => setTimeout(resolve, 100))
      turns.push(await record())
    }
    expect(turns.map(({ version }) => version)).toEqual([1, 2, 3, 4])
    expect(turns[0]!.value).toBe(0)
    for (const [i, turn] of turns.slice(2).entries()) expect(turn.value).toBeGreaterThan(turns[i + 1]!.value)
    const compacted = turns.at(-1)!.value
    expect(compacted).toBeGreaterThan(old)
    for (const backend of backends) {
      await expect.poll(() => backend.getCompactedRevision()).toBe(compacted)
      await expect(backend.get('/registry/a', { at: old })).rejects.toMatchObject({ name: 'CompactedError', compactedRevision: compacted })
      expect((await backend.get('/registry/a', { at: compacted })).entry).toBeDefined()
    }
    await Promise.all(backends.map((backend) => backend[Symbol.asyncDispose]()))
  })

  test('a change with a compacted previous value keeps its event type', async () => {
    await using backend = await open()
    const first = await write(backend, 'one')
    const second = await write(backend, 'two')
    await client.delete().key('/registry/a')
    await backend.compact(second + 1)
    for (const after of [first, second]) {
      const watch = backend.watch(createPrefixRange('/registry/'), after, { signal: new AbortController().signal })
      await expect(watch[Symbol.asyncIterator]().next()).rejects.toMatchObject({ name: 'CompactedError' })
    }
  })

  test('objects that expire at about the same time share a lease, at most 1,000 per lease', async () => {
    await using backend = await open()
    const storage = createObjectStore({
      backend,
      codec: createTestCodec(),
      resource: { group: '', resource: 'events' },
      prefix: '/registry/events/',
    })
    const before = (await client.leaseClient.leaseLeases()).leases.length
    for (let from = 0; from < 1100; from += 100) {
      await Promise.all(
        Array.from({ length: 100 }, (_, i) =>
          storage.create(`/registry/events/ns/${from + i}`, testObject('ns', String(from + i)), { ttlSeconds: 3600 }),
        ),
      )
    }
    const { leases } = await client.leaseClient.leaseLeases()
    expect(leases.length - before).toBe(2)
    const held = await Promise.all(leases.map(({ ID }) => client.leaseClient.leaseTimeToLive({ ID, keys: true })))
    expect(held.map(({ keys }) => keys.length).sort((a, b) => b - a)).toEqual([1000, 100])
    // The TTL is never shorter than requested and at most a minute longer.
    for (const { grantedTTL } of held) expect(Number(grantedTTL)).toBe(3660)
  })

  test('reads entries with leases that other clients created', async () => {
    const lease = client.lease(60)
    await lease.put('/registry/leased').value('x')
    await using backend = await open()
    expect((await backend.get('/registry/leased')).entry?.lease).not.toBe(0)
    await lease.revoke()
  })

  test('skips a server that is down', async () => {
    await using backend = await open({ transport: { serverList: ['http://127.0.0.1:1', etcd.url] } })
    expect((await backend.get('x')).revision).toBeGreaterThan(0)
    await backend.checkHealth()
  })

  test('reports a short error if no server is reachable', async () => {
    await expect(open({ transport: { serverList: ['http://127.0.0.1:1'] }, connectTimeout: 200 })).rejects.toMatchObject({
      name: 'UnavailableError',
      message: expect.stringMatching(/^etcd cannot be reached: http:\/\/127\.0\.0\.1:1: .*ECONNREFUSED/) as string,
    })
  })

  test('stays unhealthy after etcd was restored from an older backup', async () => {
    await using older = await startEtcd(binary ?? '')
    await using newer = await startEtcd(binary ?? '')
    const logged: unknown[] = []
    let { port } = newer
    await using backend = await open({
      transport: { serverList: ['http://etcd.internal:2379'] },
      async egress() {
        const socket = connectTcp(port, '127.0.0.1')
        await once(socket, 'connect')
        return socket
      },
      log: (level, text, fields) => logged.push([level, text, fields]),
    })
    let before = 0
    for (let i = 0; i < 5; i++) before = await write(backend, String(i))
    await backend.checkHealth()
    port = older.port
    await newer.kill()
    const wentBack = { name: 'StoppedError', message: expect.stringMatching(/its revision is \d+, but it was \d+ before/) as string }
    await expect.poll(() => backend.checkHealth().catch((error: unknown) => error), { timeout: 10_000 }).toMatchObject(wentBack)
    await write(backend, 'more')
    for (let i = 0; i < before; i++) await write(backend, String(i))
    // Stays unhealthy even when the revision of the restored etcd is higher than the revision before.
    await expect(backend.checkHealth()).rejects.toMatchObject(wentBack)
    expect(logged).toContainEqual([
      0,
      'Etcd was restored from an older backup; restart the server',
      { revision: expect.any(Number) as number, before },
    ])
  })

  test('connects through the egress selector', async () => {
    const requests: string[] = []
    await using backend = await open({
      transport: { serverList: ['http://etcd.internal:2379'] },
      async egress(host, port) {
        requests.push(`${host}:${port}`)
        const socket = connectTcp(etcd.port, '127.0.0.1')
        await once(socket, 'connect')
        return socket
      },
    })
    const revision = await write(backend, 'through the tunnel')
    expect((await backend.get('/registry/a')).entry?.modRevision).toBe(revision)
    expect(new Set(requests)).toEqual(new Set(['etcd.internal:2379']))
  })

  test('rejects calls after it was closed', async () => {
    const backend = await open()
    const watch = backend.watch(createPrefixRange('/registry/'), 0, { signal: new AbortController().signal })[Symbol.asyncIterator]()
    await Promise.all([backend[Symbol.asyncDispose](), backend[Symbol.asyncDispose]()])
    await expect(watch.next()).rejects.toMatchObject({ name: 'StoppedError' })
    for (const call of [backend.get('a'), write(backend, 'x'), backend.checkHealth(), backend.requestProgress()]) {
      await expect(call).rejects.toMatchObject({ name: 'StoppedError' })
    }
  })
})
