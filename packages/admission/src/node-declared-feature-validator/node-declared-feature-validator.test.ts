import type { Node, Pod, PodSpec } from '@keelson/api/core/v1'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { admitObject, openTestCluster, update } from '../plugin.fixture.ts'
import type { TestCluster } from '../plugin.fixture.ts'
import { createNodeDeclaredFeatureValidatorPlugin } from './index.ts'

let cluster: TestCluster
beforeEach(async () => {
  cluster = openTestCluster(['pods', 'nodes'])
  const createNode = (name: string, declaredFeatures: string[]): Node => ({ metadata: { name }, status: { declaredFeatures } })
  await cluster.create('nodes', createNode('old', []))
  await cluster.create('nodes', createNode('new', ['InPlacePodLevelResourcesVerticalScaling', 'InPlacePodVerticalScalingInitContainers']))
})
afterEach(() => cluster[Symbol.asyncDispose]())

const createPod = (generation: number, nodeName: string, cpu: string, restartPolicy?: string): Pod => {
  const resources = { requests: { cpu } }
  const initContainers: PodSpec['initContainers'] = [{ name: 'i', resources, ...(restartPolicy && { restartPolicy }) }]
  return { metadata: { name: 'p', generation }, spec: { nodeName, containers: [], initContainers, ...(!restartPolicy && { resources }) } }
}
const resize = (nodeName: string, restartPolicy?: string) =>
  admitObject(
    createNodeDeclaredFeatureValidatorPlugin(cluster),
    update('pods', createPod(1, nodeName, '1', restartPolicy), createPod(2, nodeName, '2', restartPolicy), { subresource: 'resize' }),
  )

it('admits pod changes that the node supports', async () => {
  await resize('new')
  await resize('')
  await resize('old', 'Always')
})

it('refuses pod changes that the node does not support', async () => {
  await expect(resize('old')).rejects.toMatchObject({
    code: 403,
    message:
      'pods "p" is forbidden: pod update requires features InPlacePodLevelResourcesVerticalScaling, InPlacePodVerticalScalingInitContainers which are not available on node "old"',
  })
  await expect(resize('gone')).rejects.toThrow('node "gone" not found')
})
