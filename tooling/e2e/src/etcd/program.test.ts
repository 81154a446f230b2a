import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { decodeUnknown } from '@keelson/api'
import { Etcd3 } from 'etcd3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { HttpsClient } from '../https-client.ts'
import { type KeelsonProcess, startKeelsonProcess } from '../keelson-process.ts'
import { Kubectl } from '../kubectl/kubectl.ts'
import { type EtcdProcess, startEtcd } from '../real-parts/etcd-process.ts'
import { findEtcd } from '../real-parts/find-etcd.ts'
import { findKubectl } from '../real-parts/find-kubectl.ts'

const binary = findEtcd()
const kubectlBinary = findKubectl()

describe.skipIf(binary === undefined || kubectlBinary === undefined)('two servers on one etcd', { timeout: 60_000 }, () => {
  let scratch: string
  let etcd: EtcdProcess
  let client: Etcd3
  let first: KeelsonProcess
  let second: KeelsonProcess
  let kubectl: Kubectl
  let other: Kubectl

  beforeAll(async () => {
    scratch = await mkdtemp(path.join(os.tmpdir(), 'keelson-on-etcd-'))
    etcd = await startEtcd(binary ?? '')
    client = new Etcd3({ hosts: etcd.url })
    const flags = ['--storage-backend=etcd3', `--etcd-servers=${etcd.url}`]
    first = await startKeelsonProcess({ flags, controllers: '*' })
    second = await startKeelsonProcess({ flags: [`--etcd-servers=${etcd.url}`] })
    kubectl = new Kubectl(kubectlBinary ?? '', first, path.join(scratch, 'first'))
    other = new Kubectl(kubectlBinary ?? '', second, path.join(scratch, 'second'))
  })
  afterAll(async () => {
    await second.stop()
    await first.stop()
    client.close()
    await etcd[Symbol.asyncDispose]()
    await rm(scratch, { recursive: true, force: true })
  })

  test('use the keys and values of kube-apiserver', async () => {
    await kubectl.run(['create', 'configmap', 'made', '--from-literal=a=1'])
    const value = await client.get('/registry/configmaps/default/made').buffer()
    expect(value?.subarray(0, 4)).toEqual(Buffer.from('k8s\0'))
    expect(decodeUnknown(value!).gvk).toEqual({ group: '', version: 'v1', kind: 'ConfigMap' })
    const keys = await client.getAll().prefix('/registry/').keys()
    expect(keys).toContain('/registry/namespaces/default')
    for (const key of keys) {
      // kube-apiserver stores APIServices as JSON.
      const start = key.startsWith('/registry/apiregistration.k8s.io/') ? '{"ki' : 'k8s\0'
      expect((await client.get(key).buffer())?.subarray(0, 4), key).toEqual(Buffer.from(start))
    }
  })

  test('serve and watch the writes of each other at once', async () => {
    const watch = other.start(['get', 'cm', '-w', '--output-watch-events', '-l', 'watched=yes'])
    try {
      await kubectl.run(['create', 'configmap', 'shared', '--from-literal=a=1'])
      expect(await other.run(['get', 'cm', 'shared', '-o', 'jsonpath={.data.a}'])).toBe('1')
      await kubectl.run(['label', 'cm', 'shared', 'watched=yes'])
      await watch.until('ADDED')
      expect(await other.run(['get', 'cm', '-l', 'watched=yes', '-o', 'name'])).toBe('configmap/shared\n')
      await other.run(['patch', 'cm', 'shared', '-p', '{"data":{"a":"2"}}'])
      expect(await kubectl.run(['get', 'cm', 'shared', '-o', 'jsonpath={.data.a}'])).toBe('2')
      await watch.until('MODIFIED')
      await kubectl.run(['delete', 'cm', 'shared'])
      await watch.until('DELETED')
    } finally {
      watch.child.kill()
    }
  })

  test('increment a counter concurrently without losing a write', async () => {
    using httpsClient = new HttpsClient(first.url, first.token, 8)
    using two = new HttpsClient(second.url, second.token, 8)
    const url = '/api/v1/namespaces/default/configmaps'
    await httpsClient.request('POST', url, { body: { metadata: { name: 'counter' }, data: { n: '0' } } })
    const count = async (on: HttpsClient): Promise<void> => {
      for (let i = 0; i < 20;) {
        const found = (await on.request('GET', `${url}/counter`)).parseJson<{ data: { n: string } }>()
        found.data.n = String(Number(found.data.n) + 1)
        const { status } = await on.request('PUT', `${url}/counter`, { body: found })
        if (status === 200) i++
        else expect(status).toBe(409)
      }
    }
    await Promise.all([count(httpsClient), count(two), count(httpsClient), count(two)])
    const [fromOne, fromTwo] = await Promise.all([httpsClient.request('GET', url), two.request('GET', url)])
    for (const list of [fromOne, fromTwo]) {
      const items = list.parseJson<{ items: { metadata: { name: string }; data: { n: string } }[] }>().items
      expect(items.find(({ metadata }) => metadata.name === 'counter')?.data.n).toBe('80')
    }
  })

  test('serve a JSON value that a user has written to etcd', async () => {
    const object = {
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: { name: 'by-hand', namespace: 'default', uid: 'u' },
      data: { a: 'json' },
    }
    await client.put('/registry/configmaps/default/by-hand').value(JSON.stringify(object))
    expect(await kubectl.run(['get', 'cm', 'by-hand', '-o', 'jsonpath={.data.a}'])).toBe('json')
    await kubectl.run(['label', 'cm', 'by-hand', 'changed=yes'])
    expect((await client.get('/registry/configmaps/default/by-hand').buffer())?.subarray(0, 4)).toEqual(Buffer.from('k8s\0'))
  })

  const beginning = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: before\n  labels: {after: restart}\n'

  test('become healthy after a restart of etcd and lose no event', async () => {
    const watch = other.start(['get', 'cm', '-w', '--watch-only', '--output-watch-events', '-l', 'after=restart'])
    try {
      using httpsClient = new HttpsClient(first.url, first.token, 1)
      await expect.poll(async () => (await httpsClient.request('GET', '/readyz')).status).toBe(200)
      await expect
        .poll(
          async () => {
            // Waits until kubectl has started to watch.
            await kubectl.run(['delete', 'cm', 'before', '--ignore-not-found'])
            await kubectl.run(['apply', '-f', '-'], { input: beginning })
            return watch.lines().length
          },
          { timeout: 15_000 },
        )
        .toBeGreaterThan(0)
      await etcd.kill()
      await expect.poll(async () => (await httpsClient.request('GET', '/livez')).status, { timeout: 10_000 }).toBe(500)
      await etcd.start()
      await expect.poll(async () => (await httpsClient.request('GET', '/livez')).status, { timeout: 10_000 }).toBe(200)
      await kubectl.run(['create', 'configmap', 'later'])
      await kubectl.run(['label', 'cm', 'later', 'after=restart'])
      await watch.until('later')
    } finally {
      watch.child.kill()
    }
  })
})
