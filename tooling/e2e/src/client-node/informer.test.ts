import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { CoreV1Api, KubeConfig, makeInformer, type Informer, type ObjectCache, type V1ConfigMap } from '@kubernetes/client-node'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type KeelsonProcess, startKeelsonProcess } from '../keelson-process.ts'
import { startTcpProxy, type TcpProxy } from '../real-parts/tcp-proxy.ts'

const namespace = 'default'
const patiently = { timeout: 15_000 }

describe("@kubernetes/client-node's informer", { timeout: 60_000 }, () => {
  let dataDir: string
  let server: KeelsonProcess
  let proxy: TcpProxy
  let direct: CoreV1Api

  beforeAll(async () => {
    dataDir = await mkdtemp(path.join(os.tmpdir(), 'keelson-informer-'))
    server = await startKeelsonProcess({ dataDir })
    proxy = await startTcpProxy(server.port)
    direct = loadConfig(server.url).makeApiClient(CoreV1Api)
  })
  afterAll(async () => {
    await proxy[Symbol.asyncDispose]()
    await server.stop()
    await rm(dataDir, { recursive: true, force: true })
  })

  function loadConfig(url: string): KubeConfig {
    const config = new KubeConfig()
    config.loadFromFile(server.kubeconfig)
    config.clusters = config.clusters.map((cluster) => ({ ...cluster, server: url }))
    return config
  }

  interface Informed {
    readonly informer: Informer<V1ConfigMap> & ObjectCache<V1ConfigMap>
    readonly events: readonly string[]
    readonly errors: readonly unknown[]
    /** Returns the number of list requests so far. */
    readonly lists: () => number
  }

  /** Creates an informer that restarts when it ends, and records its events. */
  function inform(label: string, url: string): Informed {
    const config = loadConfig(url)
    const core = config.makeApiClient(CoreV1Api)
    const labelSelector = `for=${label}`
    let lists = 0
    const list = () => {
      lists++
      return core.listNamespacedConfigMap({ namespace, labelSelector })
    }
    const informer = makeInformer(config, `/api/v1/namespaces/${namespace}/configmaps`, list, labelSelector)
    const events: string[] = []
    const errors: unknown[] = []
    for (const verb of ['add', 'update', 'delete'] as const) informer.on(verb, ({ metadata }) => events.push(`${verb} ${metadata?.name}`))
    informer.on('error', (error) => {
      errors.push(error)
      setTimeout(() => void informer.start(), 50)
    })
    return { informer, events, errors, lists: () => lists }
  }

  const create = (name: string, label: string): Promise<V1ConfigMap> =>
    direct.createNamespacedConfigMap({ namespace, body: { metadata: { name, labels: { for: label } } } })

  test('sees additions, changes and deletions', async () => {
    const { informer, events } = inform('plain', server.url)
    await informer.start()
    try {
      const created = await create('i', 'plain')
      await direct.replaceNamespacedConfigMap({ namespace, name: 'i', body: { ...created, data: { changed: 'yes' } } })
      await expect.poll(() => informer.get('i', namespace)?.data, patiently).toEqual({ changed: 'yes' })
      await direct.deleteNamespacedConfigMap({ namespace, name: 'i' })
      await expect.poll(() => events, patiently).toEqual(['add i', 'update i', 'delete i'])
      expect(informer.list()).toEqual([])
    } finally {
      await informer.stop()
    }
  })

  test('resumes after its connection is cut, without duplicates or losses', async () => {
    const { informer, events, errors, lists } = inform('cut', `https://127.0.0.1:${new URL(proxy.url).port}`)
    await create('before', 'cut')
    await informer.start()
    try {
      await create('while', 'cut')
      await expect.poll(() => events, patiently).toEqual(['add before', 'add while'])
      proxy.cut()
      await create('meanwhile', 'cut')
      await direct.deleteNamespacedConfigMap({ namespace, name: 'before' })
      await expect.poll(() => events, patiently).toEqual(['add before', 'add while', 'add meanwhile', 'delete before'])
      expect(errors.length).toBeGreaterThan(0)
      expect(lists()).toBe(1)
    } finally {
      await informer.stop()
    }
  })

  test('lists again after 410 Gone', async () => {
    const { informer, events, lists } = inform('expired', server.url)
    await create('stays', 'expired')
    await create('goes', 'expired')
    await informer.start()
    try {
      await expect.poll(() => events, patiently).toEqual(['add goes', 'add stays'])
      const { port } = server
      // The resource version at which the informer resumes is now compacted, because the server keeps no history over a restart.
      await create('unseen', 'others')
      await server.stop()
      server = await startKeelsonProcess({ dataDir, port })
      direct = loadConfig(server.url).makeApiClient(CoreV1Api)
      await direct.deleteNamespacedConfigMap({ namespace, name: 'goes' })
      await create('late', 'expired')
      const listNames = (): ReadonlySet<string | undefined> => new Set(informer.list().map(({ metadata }) => metadata?.name))
      await expect.poll(listNames, patiently).toEqual(new Set(['late', 'stays']))
      expect(lists()).toBe(2)
      expect(events.slice(2)).toEqual(expect.arrayContaining(['delete goes', 'add late']))
    } finally {
      await informer.stop()
    }
  })
})
