import type { Binding, Pod } from '@keelson/api/core/v1'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { admitObject, openTestCluster, write } from '../plugin.fixture.ts'
import type { TestCluster } from '../plugin.fixture.ts'
import { createPodTopologyLabelsPlugin } from './index.ts'

const zone = { 'topology.kubernetes.io/zone': 'a' }
const region = { 'topology.kubernetes.io/region': 'r' }
let cluster: TestCluster
beforeEach(async () => {
  cluster = openTestCluster(['pods', 'nodes'])
  await cluster.create('nodes', { metadata: { name: 'n', labels: { ...zone, ...region, 'kubernetes.io/os': 'linux' } } })
})
afterEach(() => cluster[Symbol.asyncDispose]())

it('labels a pod that has a node with zone and region', async () => {
  const admit = async (nodeName: string) => {
    const pod: Pod = {
      metadata: { name: 'p', labels: { own: 'x', 'topology.kubernetes.io/zone': 'wrong' } },
      spec: { containers: [], nodeName },
    }
    return (await admitObject(createPodTopologyLabelsPlugin(cluster), write('pods', pod))).metadata.labels
  }
  expect(await admit('n')).toEqual({ own: 'x', ...zone, ...region })
  for (const name of ['gone', 'a/b']) expect(await admit(name)).toHaveProperty(['topology.kubernetes.io/zone'], 'wrong')
  expect(await admit('')).toHaveProperty(['topology.kubernetes.io/zone'], 'wrong')
})

it('labels a binding with zone and region', async () => {
  const admit = async (target: Binding['target']) => {
    const binding: Binding = { metadata: { name: 'p' }, target }
    return (await admitObject(createPodTopologyLabelsPlugin(cluster), write('pods', binding, { subresource: 'binding' }))).metadata.labels
  }
  expect(await admit({ kind: 'Node', name: 'n' })).toEqual({ ...zone, ...region })
  expect(await admit({ kind: 'Other', name: 'n' })).toBeUndefined()
})
