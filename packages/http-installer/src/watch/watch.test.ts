import { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { decodeUnknown } from '@keelson/api'
import { newResourceExpired } from '@keelson/apimachinery'
import { afterEach, describe, expect, it } from 'vitest'
import { openTestServer, openWatch } from '../test-server.fixture.ts'
import type { TestServer } from '../test-server.fixture.ts'

const maps = '/api/v1/namespaces/w/configmaps'
const map = (name: string, labels: Record<string, string> = {}, data: Record<string, string> = {}): object => ({
  metadata: { name, labels },
  data,
})

const servers: TestServer[] = []
async function open(options: Parameters<typeof openTestServer>[0] = {}): Promise<TestServer> {
  const server = await openTestServer(options)
  servers.push(server)
  return server
}
afterEach(async () => {
  for (const server of servers.splice(0)) await server[Symbol.asyncDispose]()
})

describe('a watch', () => {
  it('a watch sends existing objects, then every change, to each client in its encoding', async () => {
    const server = await open()
    await server.request('POST', maps, map('a'))
    const objectWatch = await openWatch(server.base, `${maps}?watch=1`)
    const partial = await openWatch(server.base, `${maps}?watch=true`, {
      accept: 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io',
    })
    const table = await openWatch(server.base, `${maps}?watch=1`, { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' })
    expect(objectWatch.headers['content-type']).toBe('application/json')
    expect(objectWatch.headers['transfer-encoding']).toBe('chunked')
    expect(await objectWatch.next()).toMatchObject({
      type: 'ADDED',
      object: { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a' } },
    })
    await server.request('PATCH', `${maps}/a`, { data: { x: 'y' } }, { 'content-type': 'application/merge-patch+json' })
    const current = (await server.request('GET', `${maps}/a`)).body
    expect(await objectWatch.next()).toEqual({ type: 'MODIFIED', object: current })
    await partial.next()
    expect(await partial.next()).toEqual({
      type: 'MODIFIED',
      object: { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: current.metadata },
    })
    const first = await table.next()
    expect(first.object).toMatchObject({ kind: 'Table', columnDefinitions: [{ name: 'Name' }, { name: 'Data' }, { name: 'Age' }] })
    const second = await table.next()
    expect(second.object.columnDefinitions).toBeNull()
    expect(second.object.rows[0]).toMatchObject({ cells: ['a', 1, expect.any(String)], object: { kind: 'PartialObjectMetadata' } })
    await server.request('DELETE', `${maps}/a`)
    const deleted = await objectWatch.next()
    expect(deleted.type).toBe('DELETED')
    expect(Number(deleted.object.metadata.resourceVersion)).toBeGreaterThan(Number(current.metadata.resourceVersion))
  })

  it('computes the age of an object when it changes, not when the watch began', async () => {
    let now = Date.now()
    const server = await open({ now: () => now })
    const created = (await server.request('POST', maps, map('a'))).body.metadata.creationTimestamp as string
    now = Date.parse(created) + 30_000
    const table = await openWatch(server.base, `${maps}?watch=1`, { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' })
    expect((await table.next()).object.rows[0].cells[2]).toBe('30s')
    now += 300_000
    await server.request('PATCH', `${maps}/a`, { data: { x: 'y' } }, { 'content-type': 'application/merge-patch+json' })
    expect((await table.next()).object.rows[0].cells[2]).toBe('5m30s')
  })

  it('marks the end of initial events for clients that allow bookmarks', async () => {
    const server = await open()
    await server.request('POST', maps, map('a'))
    const query = 'watch=1&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan'
    const watch = await openWatch(server.base, `${maps}?${query}`)
    const { object } = await watch.next()
    expect(await watch.next()).toEqual({
      type: 'BOOKMARK',
      object: {
        kind: 'ConfigMap',
        apiVersion: 'v1',
        metadata: { resourceVersion: object.metadata.resourceVersion, annotations: { 'k8s.io/initial-events-end': 'true' } },
      },
    })
  })

  it.each([
    ['Object', 'ConfigMap'],
    ['None', 'PartialObjectMetadata'],
  ])('marks the end of initial events in Tables with objects of %s in a %s', async (include, kind) => {
    const server = await open()
    const query = `watch=1&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan&includeObject=${include}`
    const watch = await openWatch(server.base, `${maps}?${query}`, { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' })
    const { object } = (await watch.next()).object.rows[0]
    expect([object.kind, Object.keys(object.metadata.annotations)]).toEqual([kind, ['k8s.io/initial-events-end']])
  })

  it('a watch ends after its timeout and when the server stops', async () => {
    const stopServer = new AbortController()
    const server = await open({ stopping: stopServer.signal })
    const timed = await openWatch(server.base, `${maps}?watch=1&timeoutSeconds=1`)
    const openEndedWatch = await openWatch(server.base, `${maps}?watch=1`)
    await timed.ended
    stopServer.abort()
    await openEndedWatch.ended
  })

  it('watches end one after the other when the server stops, if it delays their ends', async () => {
    const stopServer = new AbortController()
    let count = 0
    const server = await open({ stopping: stopServer.signal, delayWatchEnd: () => 40 * count++ })
    const watches = [await openWatch(server.base, `${maps}?watch=1`), await openWatch(server.base, `${maps}?watch=1`)]
    const ended: number[] = []
    for (const [n, watch] of watches.entries()) void watch.ended.then(() => ended.push(n))
    stopServer.abort()
    await Promise.all(watches.map((watch) => watch.ended))
    expect(ended).toEqual([0, 1])
  })

  it('ends the storage watch if the client disconnects', async () => {
    const server = await open()
    const storage = server.group.storage.get('v1')!.get('configmaps')! as unknown as {
      watch(context: unknown, options: unknown, signal: AbortSignal): Promise<unknown>
    }
    let signal: AbortSignal | undefined
    const original = storage.watch.bind(storage)
    storage.watch = (context, options, given) => {
      signal = given
      return original(context, options, given)
    }
    const watch = await openWatch(server.base, `${maps}?watch=1`)
    expect(signal!.aborted).toBe(false)
    watch.close()
    for (let i = 0; i < 200 && !signal!.aborted; i++) await wait(5)
    expect(signal!.aborted).toBe(true)
  })

  it('sends an error event if the version is too old or invalid', async () => {
    const server = await open()
    const storage = server.group.storage.get('v1')!.get('configmaps')! as unknown as { watch: unknown }
    storage.watch = async () =>
      Readable.from(
        (async function* () {
          yield []
          throw newResourceExpired('too old resource version: 1 (2)')
        })(),
      )
    const watch = await openWatch(server.base, `${maps}?watch=1&resourceVersion=1`)
    expect(watch.status).toBe(200)
    expect(await watch.next()).toMatchObject({ type: 'ERROR', object: { kind: 'Status', reason: 'Expired', code: 410 } })
    await watch.ended
  })

  it('prefixes protobuf events with four bytes of length', async () => {
    const server = await open()
    await server.request('POST', maps, map('a', {}, { k: 'v' }))
    const answer = await server.request('GET', `${maps}?watch=1&timeoutSeconds=1`, undefined, {
      accept: 'application/vnd.kubernetes.protobuf',
    })
    expect(answer.headers['content-type']).toBe('application/vnd.kubernetes.protobuf;stream=watch')
    const length = answer.bytes.readUInt32BE(0)
    const event = answer.bytes.subarray(4, 4 + length)
    expect(event.subarray(0, 7).toString('latin1')).toBe('\n\x05ADDED')
    const envelope = event.indexOf('k8s\0')
    const { gvk, raw } = decodeUnknown(event.subarray(envelope))
    expect(gvk).toEqual({ group: '', version: 'v1', kind: 'ConfigMap' })
    expect(server.group.types.kind(gvk)!.decodeProto(raw)).toMatchObject({ metadata: { name: 'a' }, data: { k: 'v' } })
  })

  it('waits for a client that does not read, without delaying other clients', async () => {
    const server = await open()
    const slow = await openWatch(server.base, `${maps}?watch=1`)
    slow.close()
    const fast = await openWatch(server.base, `/api/v1/watch/namespaces/w/configmaps`)
    for (let i = 0; i < 20; i++) await server.request('POST', maps, map(`m${i}`, {}, { v: 'x'.repeat(10_000) }))
    for (let i = 0; i < 20; i++) expect((await fast.next()).object.metadata.name).toBe(`m${i}`)
  })

  it('rejects YAML and combinations that are not allowed', async () => {
    const server = await open()
    const yaml = await server.request('GET', `${maps}?watch=1`, undefined, { accept: 'application/yaml' })
    expect(yaml.status).toBe(406)
    const yamlAnswer = await server.request('GET', `${maps}?watch=1&resourceVersion=x`, undefined, { accept: 'application/yaml' })
    expect([yamlAnswer.status, yamlAnswer.text]).toEqual([500, expect.stringContaining('resourceVersion: Invalid value: "x"')])
    const matchAnswer = await server.request('GET', `${maps}?watch=1&sendInitialEvents=true`)
    expect(matchAnswer.body.message).toBe(
      'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan',
    )
  })
})
