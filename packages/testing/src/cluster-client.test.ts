import type { KubeObject } from '@keelson/apimachinery'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { KeelsonCluster } from './cluster.ts'
import { startKeelson } from './start-keelson.ts'
import { widgetManifests } from './widgets.fixture.ts'

interface Widget extends KubeObject {
  spec?: { size?: number; color?: string }
  status?: { conditions?: { type: string; status: string }[]; phase?: string }
}

let cluster: KeelsonCluster
beforeAll(async () => {
  cluster = await startKeelson({ controllers: ['none'], manifests: widgetManifests })
})
afterAll(() => cluster.close())

describe('apply', () => {
  test('applies definitions before custom objects, whatever their order', async () => {
    const widget = await cluster.resource<Widget>('widgets.example.com').get('first')
    expect(widget.spec).toEqual({ size: 3, color: 'red' })
  })

  test('can be repeated, and takes over fields of other managers', async () => {
    const maps = cluster.resource('configmaps')
    await maps.create({ metadata: { name: 'settings' }, data: { color: 'red' } })
    const manifest = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data: { color: 'blue' } }
    const [applied] = await cluster.apply(manifest)
    const [again] = await cluster.apply(manifest)
    expect(applied).toMatchObject({ data: { color: 'blue' } })
    expect(again?.metadata.resourceVersion).toBe(applied?.metadata.resourceVersion)
  })

  test('throws the error of the server', async () => {
    const manifest = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'large' }, spec: { size: 11 } }
    await expect(cluster.apply(manifest)).rejects.toMatchObject({ reason: 'Invalid', code: 422 })
    await expect(cluster.apply({ apiVersion: 'apps/v1', kind: 'Deploiment', metadata: { name: 'a' } })).rejects.toThrow(
      'the server does not serve Deploiment in apps/v1',
    )
  })
})

describe('resource', () => {
  // oxlint-disable-next-line typescript/explicit-function-return-type -- The type is inferred, as in tests of users.
  const openMaps = () => cluster.resource('configmaps', { namespace: 'kube-public' })

  test('creates, updates, patches, applies, lists and deletes objects', async () => {
    const created = await openMaps().create({ metadata: { name: 'm', labels: { app: 'x' } }, data: { a: '1' } })
    expect(created).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'kube-public' } })
    await openMaps().update({ ...created, data: { a: '2' } })
    await expect(openMaps().update({ ...created, data: { a: '3' } })).rejects.toMatchObject({ reason: 'Conflict' })
    expect((await openMaps().patch('m', { data: { b: '1' } })).data).toEqual({ a: '2', b: '1' })
    expect((await openMaps().patch('m', [{ op: 'remove', path: '/data/b' }], { type: 'json' })).data).toEqual({ a: '2' })
    await expect(openMaps().apply({ metadata: { name: 'm' }, data: { a: '4' } })).rejects.toMatchObject({ reason: 'Conflict' })
    expect((await openMaps().apply({ metadata: { name: 'm' }, data: { a: '4' } }, { force: true, fieldManager: 'me' })).data).toEqual({
      a: '4',
    })
    expect((await openMaps().list({ labelSelector: 'app=x' })).items.map(({ data }) => data)).toEqual([{ a: '4' }])
    expect((await openMaps().patch('m', { data: { c: '1' } }, { dryRun: true })).data).toEqual({ a: '4', c: '1' })
    expect((await openMaps().get('m')).data).toEqual({ a: '4' })
    await openMaps().delete('m', { preconditions: { uid: created.metadata.uid! } })
    await expect(openMaps().get('m')).rejects.toMatchObject({ reason: 'NotFound', code: 404 })
  })

  test('writes subresources', async () => {
    const widgets = cluster.resource<Widget>('widgets.example.com')
    await widgets.patch('first', { status: { phase: 'Up' } }, { subresource: 'status' })
    await widgets.patch('first', { status: { phase: 'Down' } })
    expect((await widgets.get('first')).status?.phase).toBe('Up')
    const token = await cluster.resource('serviceaccounts').create({ metadata: { name: 'robot' } })
    expect(token.metadata.namespace).toBe('default')
  })

  test('selects the most stable version, or the given one', () => {
    expect(cluster.resource('horizontalpodautoscalers.autoscaling').getPath()).toBe('/apis/autoscaling/v2/horizontalpodautoscalers')
    expect(cluster.resource('horizontalpodautoscalers.autoscaling', { version: 'v1', namespace: 'a' }).getPath('b')).toBe(
      '/apis/autoscaling/v1/namespaces/a/horizontalpodautoscalers/b',
    )
    expect(() => cluster.resource('gadgets.example.com')).toThrow('the server does not serve gadgets.example.com')
  })

  test('watches until the loop is left, the signal aborts, or the server rejects it', async () => {
    await openMaps().create({ metadata: { name: 'watched' } })
    const events: string[] = []
    for await (const { type, object } of openMaps().watch({ labelSelector: 'app!=x' })) {
      events.push(`${type} ${object.metadata.name}`)
      if (object.metadata.name === 'watched' && type === 'ADDED') await openMaps().delete('watched')
      if (type === 'DELETED') break
    }
    expect(events.slice(-2)).toEqual(['ADDED watched', 'DELETED watched'])
    const abort = new AbortController()
    const { metadata } = await openMaps().list()
    const quiet = openMaps().watch({ signal: abort.signal, resourceVersion: metadata.resourceVersion! })
    const next = quiet.next()
    abort.abort()
    expect(await next).toEqual({ done: true, value: undefined })
    await expect(openMaps().watch({ resourceVersion: 'nonsense' }).next()).rejects.toThrow('invalid syntax')
  })
})

describe('waitFor', () => {
  const widget = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'waited' } }
  const setReady = (status: string): Promise<unknown> =>
    cluster
      .resource<Widget>('widgets.example.com')
      .patch('waited', { status: { conditions: [{ type: 'Ready', status }] } }, { subresource: 'status' })

  test('waits until the object exists, has a condition, meets a function, and is deleted', async () => {
    const exists = cluster.waitFor(widget, 'exists')
    await cluster.apply(widget)
    expect((await exists).metadata.name).toBe('waited')
    const ready = cluster.waitFor<Widget>(widget, 'Ready')
    await setReady('False')
    await setReady('True')
    expect((await ready).status?.conditions).toEqual([{ type: 'Ready', status: 'True' }])
    const large = cluster.waitFor<Widget>(widget, (object) => object?.spec?.size === 9)
    await cluster.apply({ ...widget, spec: { size: 9 } })
    await large
    const deleted = cluster.waitFor<Widget>(widget, 'deleted')
    await cluster.resource('widgets.example.com').delete('waited')
    expect((await deleted).spec?.size).toBe(9)
  })

  test('fails with the last state of the object when the time is over', async () => {
    await expect(cluster.waitFor(widget, 'exists', { timeoutMs: 20 })).rejects.toThrow(
      'Widget default/waited: waited 20 ms until it exists; it never existed',
    )
    await cluster.apply({ ...widget, spec: {} })
    await expect(cluster.waitFor(widget, 'Ready', { timeoutMs: 20 })).rejects.toMatchObject({
      name: 'WaitTimeoutError',
      message: expect.stringContaining('"color": "red"'),
      last: { metadata: { name: 'waited' } },
    })
  })

  test('throws the error of the server', async () => {
    await expect(cluster.as('nobody').waitFor(widget, 'exists')).rejects.toMatchObject({ reason: 'Forbidden' })
  })
})
