import type { Node, Pod, PodSpec } from '@keelson/api/core/v1'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { admitObject, openTestCluster, update } from '../plugin.fixture.ts'
import type { TestCluster } from '../plugin.fixture.ts'
import { createPodResizeValidatorPlugin } from './index.ts'

let cluster: TestCluster
beforeEach(async () => {
  cluster = openTestCluster(['pods', 'nodes'])
  const createNode = (name: string, os: string): Node => ({
    metadata: { name, labels: { 'kubernetes.io/os': os } },
    status: { allocatable: { cpu: '2', memory: '1Gi' } },
  })
  await cluster.create('nodes', createNode('linux', 'linux'))
  await cluster.create('nodes', createNode('windows', 'windows'))
})
afterEach(() => cluster[Symbol.asyncDispose]())

const createPod = (requests: Record<string, string>, nodeName: string, generation: number, overrides: Partial<PodSpec> = {}): Pod => ({
  metadata: { name: 'p', generation },
  spec: { nodeName, containers: [{ name: 'c', resources: { requests } }], ...overrides },
})
const resize = (requests: Record<string, string>, nodeName = 'linux', overrides: Partial<PodSpec> = {}, subresource = 'resize') =>
  admitObject(
    createPodResizeValidatorPlugin(cluster),
    update('pods', createPod({}, nodeName, 1), createPod(requests, nodeName, 2, overrides), { subresource }),
  )

it("lets a pod grow within its node's capacity, or before it is bound", async () => {
  await resize({ cpu: '2', memory: '1Gi' })
  await resize({ cpu: '200' }, '')
  await resize({ cpu: '200' }, 'linux', {}, '')
})

it("refuses requests plus overhead beyond the node's capacity", async () => {
  await expect(resize({ cpu: '2500m', memory: '2Gi' })).rejects.toMatchObject({
    code: 403,
    message:
      'pods "p" is forbidden: node didn\'t have enough allocatable resources: cpu, requested: 2500, allocatable: 2000; memory, requested: 2147483648, allocatable: 1073741824',
    status: { details: { causes: [{ reason: 'NodeCapacity' }] } },
  })
  await expect(resize({ cpu: '2' }, 'linux', { overhead: { cpu: '1m' } })).rejects.toThrow('cpu, requested: 2001, allocatable: 2000')
})

it('refuses resizing on a platform without support', async () => {
  await expect(resize({ cpu: '1' }, 'windows')).rejects.toMatchObject({
    message: 'pods "p" is forbidden: pod resize is only supported on linux nodes, node "windows" is "windows"',
    status: { details: { causes: [{ reason: 'UnsupportedPlatform' }] } },
  })
  await expect(resize({ cpu: '1' }, 'gone')).rejects.toThrow('node "gone" not found')
})
