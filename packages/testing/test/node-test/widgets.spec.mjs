/* oxlint-disable typescript/no-floating-promises -- node:test waits for its tests. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { prepareClusters } from '@keelson/testing/node-test'

const manifests = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'from-options' } }

/** Creates an object, and checks that no other test's object is visible. */
async function createAlone(cluster, name) {
  const maps = cluster.resource('configmaps', { namespace: 'default' })
  await maps.create({ metadata: { name } })
  await new Promise((resolve) => setTimeout(resolve, 20))
  const { items } = await maps.list()
  assert.deepEqual(new Set(items.map(({ metadata }) => metadata.name)), new Set(['from-options', 'kube-root-ca.crt', name]))
}

describe('forks', { concurrency: true }, () => {
  const openCluster = prepareClusters({ manifests })
  for (const name of ['a', 'b', 'c'])
    it(`concurrent test ${name} has a cluster of its own`, async (t) => createAlone(await openCluster(t), name))
})

describe('one cluster that is reset', () => {
  const openCluster = prepareClusters({ manifests, isolation: 'reset' })
  const used = new Set()
  for (const name of ['a', 'b'])
    it(`test ${name} starts from the same state`, async (t) => {
      const cluster = await openCluster(t)
      used.add(cluster)
      assert.equal([...cluster.requests].length, 0)
      assert.equal(cluster.faults.pending, 0)
      cluster.faults.next({ verb: 'delete', times: 3 }, 'conflict')
      await cluster.fetch('/api/v1/namespaces')
      await createAlone(cluster, name)
    })
  it('the tests used one cluster', () => assert.equal(used.size, 1))
})
