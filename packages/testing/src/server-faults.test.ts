import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { clientNode, hasClientNode } from './client-node.fixture.ts'
import type { KeelsonCluster } from './cluster.ts'
import type { Fault } from './faults.ts'
import { startKeelson } from './start-keelson.ts'
import { widgetManifests } from './widgets.fixture.ts'

const { CoreV1Api, KubeConfig } = clientNode

let cluster: KeelsonCluster
beforeAll(async () => {
  cluster = await startKeelson({ manifests: widgetManifests })
})
afterAll(() => cluster.close())
afterEach(async () => {
  cluster.faults.clear()
  cluster.requests.clear()
  await cluster.reset()
})

const maps = '/api/v1/namespaces/default/configmaps'
const readJson = async (path: string): Promise<Record<string, unknown>> =>
  (await (await cluster.fetch(path)).json()) as Record<string, unknown>
const write = (name: string, color: string): Promise<unknown> =>
  cluster.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { color } })

/** Reads a response until its connection ends. Returns the text, and whether the connection broke. */
async function readUntilBroken(response: Response): Promise<{ readonly text: string; readonly isBroken: boolean }> {
  let text = ''
  const decoder = new TextDecoder()
  try {
    for await (const chunk of response.body!) text += decoder.decode(chunk as Uint8Array, { stream: true })
    return { text, isBroken: false }
  } catch {
    return { text, isBroken: true }
  }
}

describe('stale-read', () => {
  test('answers gets and lists with the state of the plan, and the next request with the current one', async () => {
    await write('m', 'red')
    const before = await readJson(`${maps}/m`)
    const listBefore = await readJson(maps)
    cluster.faults.next({ resource: 'configmaps', times: 2 }, 'stale-read')
    await write('m', 'blue')
    await write('new', 'green')
    expect(await readJson(`${maps}/m`)).toEqual(before)
    expect(await readJson(maps)).toEqual(listBefore)
    expect(await readJson(`${maps}/m`)).toMatchObject({ data: { color: 'blue' } })
    expect(cluster.faults.pending).toBe(0)
  })

  test('answers with the permissions and the encoding of the request, and skips writes', async () => {
    cluster.faults.next({ resource: 'widgets.example.com', user: 'alice' }, 'stale-read')
    cluster.faults.next({ resource: 'widgets.example.com' }, 'stale-read')
    await cluster.resource('widgets.example.com').delete('first')
    const path = '/apis/example.com/v1/namespaces/default/widgets'
    expect((await cluster.as('alice').fetch(path)).status).toBe(403)
    const created = await cluster.fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'second' } }),
    })
    expect(created.status).toBe(201)
    const table = await cluster.fetch(path, { headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' } })
    expect(await table.json()).toMatchObject({ kind: 'Table', rows: [{ cells: expect.arrayContaining(['first']) }] })
    expect(cluster.faults.pending).toBe(1)
  })
})

describe('watchEvents', () => {
  test.each(['in process', 'at the port'])('breaks a watch in the middle of an event, %s', async (where) => {
    await write('a', 'red')
    await write('b', 'red')
    cluster.faults.next({ verb: 'watch' }, { watchEvents: 2 })
    const path = `${maps}?watch=1&fieldSelector=metadata.name!=kube-root-ca.crt`
    const response = await (where === 'in process' ? cluster.fetch(path) : fetchAtPort(path))
    await write('c', 'blue')
    const { text, isBroken } = await readUntilBroken(response)
    const lines = text.split('\n')
    const names = lines.slice(0, 2).map((line) => (JSON.parse(line) as { object: { metadata: { name: string } } }).object.metadata.name)
    expect(names).toEqual(['a', 'b'])
    expect(lines).toHaveLength(3)
    expect(lines[2]).toMatch(/^\{"type":"ADDED"/)
    expect(() => JSON.parse(lines[2]!) as unknown).toThrow()
    expect(isBroken).toBe(true)
  })

  test('does not hit other requests', async () => {
    cluster.faults.next({}, { watchEvents: 0 })
    expect((await cluster.fetch(maps)).status).toBe(200)
    expect(cluster.faults.pending).toBe(1)
  })

  /** Sends a request over HTTP/1.1, in which events have the framing of chunks. */
  async function fetchAtPort(path: string): Promise<Response> {
    const { request } = await import('node:https')
    const { Readable } = await import('node:stream')
    const url = new URL(path, await cluster.listen())
    const headers = { authorization: `Bearer ${cluster.token}` }
    return new Promise((resolve, reject) => {
      request(url, { headers, rejectUnauthorized: false, agent: false }, (incoming) =>
        resolve(new Response(Readable.toWeb(incoming) as ReadableStream)),
      )
        .on('error', reject)
        .end()
    })
  }
})

describe('restart', () => {
  test('keeps objects, port, certificates and tokens, and ends watches', async () => {
    await using other = await startKeelson({ manifests: widgetManifests, listen: true })
    const { url, token } = other
    await other.resource('configmaps').create({ metadata: { name: 'kept' } })
    const { uid } = (await other.resource('configmaps').get('kept')).metadata
    const watch = await other.fetch(`${maps}?watch=1&resourceVersion=0`)
    await other.restart()
    await readUntilBroken(watch)
    expect(other.url).toBe(url)
    expect(other.token).toBe(token)
    expect((await other.resource('configmaps').get('kept')).metadata.uid).toBe(uid)
    expect(await other.resource('widgets.example.com').get('first')).toMatchObject({ spec: { size: 3 } })
    // Controllers run again.
    await other.resource('namespaces').create({ metadata: { name: 'later' } })
    await other.waitFor({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace: 'later' } }, 'exists')
    await other.reset()
    await expect(other.resource('configmaps').get('kept')).rejects.toMatchObject({ reason: 'NotFound' })
  })

  test.skipIf(!hasClientNode)('can happen between two requests of a client', async () => {
    await using other = await startKeelson({ controllers: ['none'] })
    const core = other.kubeConfig(KubeConfig).makeApiClient(CoreV1Api)
    other.faults.next({ verb: 'create', resource: 'configmaps' }, 'restart')
    const create = (): Promise<unknown> => core.createNamespacedConfigMap({ namespace: 'default', body: { metadata: { name: 'm' } } })
    await expect(create()).rejects.toThrow()
    await expect.poll(() => create().then(() => 'created', String), { timeout: 20_000 }).toBe('created')
    expect(other.requests.find({ verb: 'create' }).map(({ code }) => code)).toEqual([undefined, 201])
  })
})

describe('randomly', () => {
  const faults: readonly Fault[] = ['conflict', 'unavailable', 'too-many-requests', 'internal-error']
  const listNames = Array.from({ length: 40 }, (_, i) => `m-${i}`)
  const readCodes = (seed: number, names: readonly string[]): Promise<readonly (readonly [string, number])[]> =>
    cluster.faults.randomly({ seed, rate: 0.4, faults }, async () => {
      const codes: [string, number][] = []
      for (const name of names) codes.push([name, (await cluster.fetch(`${maps}/${name}`)).status])
      return codes.toSorted(([a], [b]) => (a < b ? -1 : 1))
    })

  test('hits the same requests with the same seed, in any order, and others with another seed', async () => {
    const codes = await readCodes(7, listNames)
    expect(await readCodes(7, listNames)).toEqual(codes)
    expect(await readCodes(7, listNames.toReversed())).toEqual(codes)
    expect(await readCodes(8, listNames)).not.toEqual(codes)
    const hits = codes.filter(([, code]) => code !== 404)
    expect(hits.length).toBeGreaterThan(8)
    expect(hits.length).toBeLessThan(24)
    expect(new Set(hits.map(([, code]) => code))).toEqual(new Set([409, 503, 429, 500]))
  })

  test('adds the seed and the faults to an error, and stops afterwards', async () => {
    const failing = cluster.faults.randomly({ seed: 11, rate: 1, faults: ['conflict'], match: { verb: 'get' } }, async () => {
      expect((await cluster.fetch(maps)).status).toBe(200)
      expect((await cluster.fetch(`${maps}/a`)).status).toBe(200)
    })
    await expect(failing).rejects.toThrow(/repeat with seed: 11\n {2}conflict: get configmaps default\/a$/)
    expect((await cluster.fetch(`${maps}/a`)).status).toBe(404)
  })

  test('refuses options that make no sense', async () => {
    const run = async (): Promise<void> => {}
    await expect(cluster.faults.randomly({ faults: [] }, run)).rejects.toThrow('faults: must have at least one fault')
    await expect(cluster.faults.randomly({ faults, rate: 2 }, run)).rejects.toThrow('rate: 2 must be between 0 and 1')
    await expect(cluster.faults.randomly({ faults: ['stale-read'] }, run)).rejects.toThrow('a stale read needs a moment')
  })
})
