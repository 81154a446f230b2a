import {
  CoreV1Api,
  KubeConfig,
  KubernetesObjectApi,
  PatchStrategy,
  Watch,
  setHeaderOptions,
  type V1ConfigMap,
} from '@kubernetes/client-node'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type KeelsonProcess, startKeelsonProcess } from '../keelson-process.ts'

describe('@kubernetes/client-node', () => {
  let server: KeelsonProcess
  let config: KubeConfig
  let core: CoreV1Api
  const namespace = 'default'

  beforeAll(async () => {
    server = await startKeelsonProcess()
    config = new KubeConfig()
    config.loadFromFile(server.kubeconfig)
    core = config.makeApiClient(CoreV1Api)
  })
  afterAll(() => server.stop())

  test('lists in pages', async () => {
    for (let i = 0; i < 5; i++)
      await core.createNamespacedConfigMap({
        namespace,
        body: { metadata: { name: `page-${i}`, labels: { set: 'pages' } }, data: { i: String(i) } },
      })
    const names: (string | undefined)[] = []
    let token: string | undefined
    do {
      const page = await core.listNamespacedConfigMap({ namespace, limit: 2, ...(token === undefined ? {} : { _continue: token }) })
      names.push(...page.items.map((item) => item.metadata?.name))
      token = page.metadata?._continue
    } while (token !== undefined && token !== '')
    expect(names.filter((name) => name?.startsWith('page-'))).toEqual(['page-0', 'page-1', 'page-2', 'page-3', 'page-4'])
    const selected = await core.listNamespacedConfigMap({ namespace, labelSelector: 'set=pages', fieldSelector: 'metadata.name!=page-0' })
    expect(selected.items).toHaveLength(4)
  })

  test('reads, replaces and patches objects, and gets a conflict for a stale version', async () => {
    const created = await core.createNamespacedConfigMap({ namespace, body: { metadata: { name: 'conflict' }, data: { a: '1' } } })
    await core.replaceNamespacedConfigMap({ namespace, name: 'conflict', body: { ...created, data: { a: '2' } } })
    await expect(
      core.replaceNamespacedConfigMap({ namespace, name: 'conflict', body: { ...created, data: { a: '3' } } }),
    ).rejects.toMatchObject({
      code: 409,
    })
    await core.patchNamespacedConfigMap({ namespace, name: 'conflict', body: [{ op: 'replace', path: '/data/a', value: '4' }] })
    expect((await core.readNamespacedConfigMap({ namespace, name: 'conflict' })).data).toEqual({ a: '4' })
  })

  test('receives the events of a watch', async () => {
    const seen: string[] = []
    const { metadata } = await core.listNamespacedConfigMap({ namespace })
    const watch = await new Watch(config).watch(
      `/api/v1/namespaces/${namespace}/configmaps`,
      { resourceVersion: metadata?.resourceVersion ?? '' },
      (type, object: V1ConfigMap) => seen.push(`${type} ${object.metadata?.name}`),
      () => {},
    )
    await core.createNamespacedConfigMap({ namespace, body: { metadata: { name: 'seen' } } })
    await core.deleteNamespacedConfigMap({ namespace, name: 'seen' })
    await expect.poll(() => seen, { timeout: 10_000 }).toEqual(['ADDED seen', 'DELETED seen'])
    watch.abort()
  })

  const patchAs = (
    strategy: string,
    name: string,
    body: object,
    more: { fieldManager?: string; force?: boolean } = {},
  ): Promise<V1ConfigMap> => core.patchNamespacedConfigMap({ namespace, name, body, ...more }, setHeaderOptions('Content-Type', strategy))

  test('sends patches of three content types', async () => {
    await core.createNamespacedConfigMap({ namespace, body: { metadata: { name: 'patched' }, data: { a: '1', b: '1' } } })
    await patchAs(PatchStrategy.JsonPatch, 'patched', [{ op: 'replace', path: '/data/a', value: '2' }])
    await patchAs(PatchStrategy.MergePatch, 'patched', { data: { b: null, c: '3' } })
    const { data } = await patchAs(PatchStrategy.StrategicMergePatch, 'patched', { data: { d: '4' } })
    expect(data).toEqual({ a: '2', c: '3', d: '4' })
    await expect(patchAs(PatchStrategy.JsonPatch, 'patched', [{ op: 'remove', path: '/data/z' }])).rejects.toMatchObject({ code: 422 })
    await expect(patchAs('application/unknown', 'patched', {})).rejects.toMatchObject({ code: 415 })
  })

  test('applies objects with server-side apply', async () => {
    const createBody = (value: string): V1ConfigMap => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'applied' },
      data: { key: value },
    })
    const apply = (fieldManager: string, value: string, force = false): Promise<V1ConfigMap> =>
      patchAs(PatchStrategy.ServerSideApply, 'applied', createBody(value), { fieldManager, force })
    expect((await apply('one', '1')).metadata?.managedFields).toMatchObject([
      { manager: 'one', operation: 'Apply', fieldsV1: { 'f:data': { 'f:key': {} } } },
    ])
    const conflict: unknown = await apply('two', '2').catch((error: unknown) => error)
    expect(conflict).toMatchObject({ code: 409, body: expect.stringContaining('conflict with \\"one\\": .data.key') as string })
    expect((await apply('two', '2', true)).data).toEqual({ key: '2' })
    expect((await apply('three', '2')).metadata?.managedFields?.map(({ manager }) => manager)).toEqual(['three', 'two'])
  })

  test('handles kinds without generated code', async () => {
    const objects = KubernetesObjectApi.makeApiClient(config)
    const spec = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'dynamic', namespace } }
    const created: V1ConfigMap = { ...spec, data: { a: '1' } }
    const change: V1ConfigMap = { ...spec, data: { b: '2' } }
    await objects.create(created)
    await objects.patch(change, undefined, undefined, 'me', undefined, PatchStrategy.MergePatch)
    expect(await objects.read(spec)).toMatchObject({ kind: 'ConfigMap', data: { a: '1', b: '2' } })
    await objects.delete(spec)
    await expect(objects.read(spec)).rejects.toMatchObject({ code: 404 })
  })
})
