import { CoreV1Api, KubeConfig, Watch, makeInformer, type V1ConfigMap } from '@kubernetes/client-node'
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

  test('reads, replaces, patches and meets a conflict', async () => {
    const made = await core.createNamespacedConfigMap({ namespace, body: { metadata: { name: 'conflict' }, data: { a: '1' } } })
    await core.replaceNamespacedConfigMap({ namespace, name: 'conflict', body: { ...made, data: { a: '2' } } })
    await expect(
      core.replaceNamespacedConfigMap({ namespace, name: 'conflict', body: { ...made, data: { a: '3' } } }),
    ).rejects.toMatchObject({
      code: 409,
    })
    await core.patchNamespacedConfigMap({ namespace, name: 'conflict', body: [{ op: 'replace', path: '/data/a', value: '4' }] })
    expect((await core.readNamespacedConfigMap({ namespace, name: 'conflict' })).data).toEqual({ a: '4' })
  })

  test('watches', async () => {
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

  test('runs an informer', async () => {
    const list = () => core.listNamespacedConfigMap({ namespace, labelSelector: 'informed=yes' })
    const informer = makeInformer(config, `/api/v1/namespaces/${namespace}/configmaps`, list, 'informed=yes')
    const events: string[] = []
    for (const verb of ['add', 'update', 'delete'] as const) informer.on(verb, (object) => events.push(`${verb} ${object.metadata?.name}`))
    await informer.start()
    try {
      const labels = { informed: 'yes' }
      const made = await core.createNamespacedConfigMap({ namespace, body: { metadata: { name: 'i', labels } } })
      await core.replaceNamespacedConfigMap({ namespace, name: 'i', body: { ...made, data: { changed: 'yes' } } })
      await expect.poll(() => informer.get('i', namespace)?.data, { timeout: 10_000 }).toEqual({ changed: 'yes' })
      await core.deleteNamespacedConfigMap({ namespace, name: 'i' })
      await expect.poll(() => events, { timeout: 10_000 }).toEqual(['add i', 'update i', 'delete i'])
      expect(informer.list()).toEqual([])
    } finally {
      await informer.stop()
    }
  })
})
