import { describe, expect } from 'vitest'
import type { KeelsonCluster } from './cluster.ts'
import { createTest } from './vitest.ts'

const manifests = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'from-options' }, data: { color: 'red' } }

async function listNames(cluster: KeelsonCluster): Promise<unknown[]> {
  const { items } = await cluster.resource('configmaps', { namespace: 'default' }).list()
  return items.map(({ metadata }) => metadata.name)
}

const forkTest = createTest({ manifests })
const resetTest = createTest({ manifests, isolation: 'reset' })

describe('forks', () => {
  const initial = ['from-options', 'kube-root-ca.crt', 'shared']
  const used = new Set<KeelsonCluster>()

  forkTest.beforeAll(async ({ baseCluster }) => {
    await baseCluster.resource('configmaps').create({ metadata: { name: 'shared' } })
  })
  for (const name of ['a', 'b', 'c'])
    forkTest.concurrent(`concurrent test ${name} has a cluster of its own`, async ({ cluster }) => {
      used.add(cluster)
      await cluster.resource('configmaps').create({ metadata: { name } })
      await new Promise((resolve) => setTimeout(resolve, 20))
      expect(await listNames(cluster)).toEqual([...initial, name].toSorted())
    })
  forkTest('the base is unchanged, and the clusters of other tests are closed', async ({ baseCluster }) => {
    expect(await listNames(baseCluster)).toEqual(initial)
    expect(used.size).toBe(3)
    for (const cluster of used) await expect(listNames(cluster)).rejects.toThrow()
  })
})

describe('one cluster that is reset', () => {
  for (const name of ['a', 'b'])
    resetTest(`test ${name} starts from the same state`, async ({ cluster, baseCluster }) => {
      expect(cluster).toBe(baseCluster)
      expect(await listNames(cluster)).toEqual(['from-options', 'kube-root-ca.crt'])
      expect([cluster.faults.pending, [...cluster.requests].length]).toEqual([0, 0])
      cluster.faults.next({ verb: 'delete' }, 'conflict')
      await cluster.fetch('/api/v1/namespaces')
      await cluster.resource('configmaps').create({ metadata: { name } })
    })
})

createTest({ manifests })('expect has matchers, and snapshots have no volatile fields', async ({ cluster }) => {
  const object = await cluster.resource('configmaps').get('from-options')
  expect(object).toHaveManagedFields('keelson-testing', ['.data.color'])
  expect(object).not.toHaveManagedFields('keelson-testing', ['.data.size'])
  expect(object).toMatchInlineSnapshot(`
    {
      "apiVersion": "v1",
      "data": {
        "color": "red",
      },
      "kind": "ConfigMap",
      "metadata": {
        "creationTimestamp": "<creationTimestamp>",
        "name": "from-options",
        "namespace": "default",
        "resourceVersion": "<resourceVersion>",
        "uid": "<uid>",
      },
    }
  `)
})

createTest({ manifests: '/missing' })('a test that does not use the fixture starts no cluster', () => {})
