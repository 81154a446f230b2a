import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import type { KeelsonCluster } from './cluster.ts'
import { startKeelson } from './start-keelson.ts'

let cluster: KeelsonCluster
beforeAll(async () => {
  cluster = await startKeelson({ controllers: ['none'] })
})
afterAll(() => cluster.close())
afterEach(async () => {
  cluster.requests.clear()
  await cluster.reset()
})

const maps = '/api/v1/namespaces/default/configmaps'
const send = (method: string, path: string, body: unknown, type = 'application/json'): Promise<Response> =>
  cluster.fetch(path, { method, headers: { 'content-type': type }, body: typeof body === 'string' ? body : JSON.stringify(body) })

test('has the bodies of requests', async () => {
  await send('POST', maps, { metadata: { name: 'm' }, data: { color: 'red', size: '3' } })
  await send(
    'PATCH',
    `${maps}/m?fieldManager=test`,
    'apiVersion: v1\nkind: ConfigMap\ndata: { shape: round }',
    'application/apply-patch+yaml',
  )
  await send('POST', maps, 'no JSON')
  await cluster.fetch(maps)
  expect([...cluster.requests].map(({ verb, contentType, body, code }) => [verb, contentType, body, code])).toEqual([
    ['create', 'application/json', { metadata: { name: 'm' }, data: { color: 'red', size: '3' } }, 201],
    ['patch', 'application/apply-patch+yaml', { apiVersion: 'v1', kind: 'ConfigMap', data: { shape: 'round' } }, 200],
    ['create', 'application/json', undefined, 400],
    ['list', undefined, undefined, 200],
  ])
  expect(cluster.requests.find({ verb: 'create', body: { data: { color: 'red' } } })).toHaveLength(1)
  expect(cluster.requests.find({ body: { data: { color: 'blue' } } })).toEqual([])
  expect(cluster.requests.find(({ body }) => body === undefined)).toHaveLength(2)
})

test('finds patches by their content', async () => {
  await send('POST', maps, { metadata: { name: 'm' }, data: { color: 'red' } })
  await send('PATCH', `${maps}/m`, { data: { color: 'blue', size: '3' } }, 'application/merge-patch+json')
  await send('PATCH', `${maps}/m`, [{ op: 'replace', path: '/data/color', value: 'green' }], 'application/json-patch+json')
  const { requests } = cluster
  expect(requests.findPatches({ data: { color: 'blue' } })).toHaveLength(1)
  expect(requests.findPatches({ data: { color: 'blue' } }, { resource: 'secrets' })).toEqual([])
  expect(requests.findPatches({ data: { color: 'red' } })).toEqual([])
  expect(requests.findPatches({ data: { color: 'blue', shape: 'round' } })).toEqual([])
  expect(requests.findPatches({ op: 'replace', path: '/data/color' })).toHaveLength(1)
  expect(requests.findPatches([{ op: 'replace', path: '/data/color' }])).toHaveLength(1)
  expect(requests.findPatches({ op: 'remove' })).toEqual([])
})

test('records requests that another cluster replays as the same users', async () => {
  await using other = await startKeelson({ controllers: ['none'] })
  await send('POST', maps, { metadata: { name: 'm' }, data: { color: 'red' } })
  await cluster.as('alice', { groups: ['system:masters'] }).fetch(`${maps}/other`)
  await send('PATCH', `${maps}/m`, { data: { color: 'blue' } }, 'application/merge-patch+json')
  const watch = await cluster.fetch(`${maps}?watch=1`)
  await watch.body!.cancel()
  const recording = JSON.parse(JSON.stringify(cluster.requests.record())) as ReturnType<typeof cluster.requests.record>

  const replayed = await other.replay(recording)
  expect(replayed.map(({ request: { method, user }, code, hasSameCode }) => [method, user.name, code, hasSameCode])).toEqual([
    ['POST', 'kubernetes-admin', 201, true],
    ['GET', 'alice', 404, true],
    ['PATCH', 'kubernetes-admin', 200, true],
  ])
  expect((await other.resource('configmaps').get('m')).data).toEqual({ color: 'blue' })
  expect([...other.requests]).toEqual([])
  // The object exists now.
  const [again] = await other.replay({ requests: recording.requests.slice(0, 1) })
  expect(again).toMatchObject({ code: 409, hasSameCode: false })
})

test('drops the oldest bodies beyond 64 MiB', async () => {
  const text = 'x'.repeat(900_000)
  for (let i = 0; i < 80; i++) await send('POST', maps, { metadata: { name: `m-${i}` }, kind: 'Other', data: { text } })
  const keptBodies = cluster.requests.find(({ body }) => body !== undefined).length
  expect(keptBodies).toBeGreaterThan(70)
  expect(keptBodies).toBeLessThan(80)
  expect(cluster.requests.find()[0]?.body).toBeUndefined()
  expect(cluster.requests.find().at(-1)?.body).toBeDefined()
})

test('looks at no request twice to drop its body', async () => {
  await cluster.fetch(maps)
  const entryClass = Object.getPrototypeOf(cluster.requests.find()[0]) as { dropBody: () => number }
  const dropBody = vi.spyOn(entryClass, 'dropBody')
  try {
    const text = 'x'.repeat(900_000)
    for (let i = 0; i < 90; i++) await send('POST', maps, { metadata: { name: `m-${i}` }, kind: 'Other', data: { text } })
    const droppedRequests = cluster.requests.find({ verb: 'create' }).filter(({ body }) => body === undefined)
    expect(droppedRequests.length).toBeGreaterThan(10)
    // The list request at the begin has no body, but counts.
    expect(dropBody).toHaveBeenCalledTimes(droppedRequests.length + 1)
  } finally {
    dropBody.mockRestore()
  }
})
