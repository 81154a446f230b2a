import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startKeelson } from '../index.ts'
import type { KeelsonCluster, KubeObject } from '../index.ts'

let cluster: KeelsonCluster
beforeAll(async () => {
  cluster = await startKeelson({
    workloads: {
      nodes: 3,
      rule: ({ metadata: { labels = {} } }) => {
        if (labels['app'] === 'broken') return { phase: 'Running', ready: false }
        if (labels['app'] === 'crashed') return { phase: 'Failed', exitCode: 3, reason: 'Evicted', message: 'no room' }
        return labels['app'] === 'task' ? { phase: 'Succeeded' } : { phase: 'Running' }
      },
    },
  })
})
afterAll(() => cluster.close())

const createTemplate = (app: string, image = 'web:1'): object => ({
  metadata: { labels: { app } },
  spec: { containers: [{ name: 'main', image }] },
})
const createPod = (app: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  ...createTemplate(app),
  metadata: { name: app, labels: { app } },
})
const createDeployment = (
  app: string,
  { replicas = 3, image = 'web:1', strategy = 'RollingUpdate' } = {},
): KubeObject & { spec: object } => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: app, namespace: 'default' },
  spec: { replicas, strategy: { type: strategy }, selector: { matchLabels: { app } }, template: createTemplate(app, image) },
})
const waitForPods = (image: string, count: number): Promise<unknown> =>
  expect
    .poll(async () => {
      const { items } = await cluster.resource('pods').list({ labelSelector: 'app=web' })
      return items.filter(({ status }) => status?.phase === 'Running').map(({ spec }) => spec?.containers?.[0]?.image)
    })
    .toEqual(Array.from({ length: count }, () => image))

describe('pods', () => {
  test('run on nodes that are ready', async () => {
    const nodes = await cluster.resource('nodes').list()
    expect(nodes.items.map(({ metadata, status }) => [metadata.name, status?.conditions?.[0]?.status])).toEqual([
      ['node-1', 'True'],
      ['node-2', 'True'],
      ['node-3', 'True'],
    ])
    await cluster.apply(createPod('single'))
    const pod = await cluster.waitFor(createPod('single'), 'Ready')
    expect(pod).toMatchObject({
      spec: { nodeName: expect.stringMatching(/^node-[123]$/) },
      status: { phase: 'Running', containerStatuses: [{ name: 'main', ready: true, state: { running: {} } }] },
    })
  })

  test('get the state that the rule decides', async () => {
    await cluster.apply([createPod('broken'), createPod('crashed'), createPod('task')])
    const waitForPhase = (name: string, phase: string): Promise<KubeObject> =>
      cluster.resource('pods').waitFor(name, (pod) => pod?.status?.phase === phase)
    expect(await waitForPhase('broken', 'Running')).toMatchObject({ status: { containerStatuses: [{ ready: false }] } })
    expect(await waitForPhase('task', 'Succeeded')).toMatchObject({
      status: { containerStatuses: [{ state: { terminated: { exitCode: 0 } } }] },
    })
    expect(await waitForPhase('crashed', 'Failed')).toMatchObject({
      status: { reason: 'Evicted', message: 'no room', containerStatuses: [{ state: { terminated: { exitCode: 3 } } }] },
    })
  })

  test('end when they are deleted', async () => {
    await cluster.apply(createPod('short'))
    await cluster.waitFor(createPod('short'), 'Ready')
    await cluster.resource('pods').delete('short')
    await cluster.waitFor(createPod('short'), 'deleted')
  })
})

describe('deployments', () => {
  test('become available, are rolled out, scaled and deleted', async () => {
    await cluster.apply(createDeployment('web'))
    const available = await cluster.waitFor(createDeployment('web'), 'Available')
    expect(available).toMatchObject({ status: { replicas: 3, readyReplicas: 3, updatedReplicas: 3, availableReplicas: 3 } })
    await cluster.apply(createDeployment('web', { image: 'web:2' }))
    await waitForPods('web:2', 3)
    const deployments = cluster.resource('deployments.apps')
    const rolledOut = await deployments.waitFor('web', (object) => object?.status?.replicas === 3 && object.status.observedGeneration === 2)
    expect(rolledOut).toMatchObject({ status: { updatedReplicas: 3, conditions: [{}, { reason: 'NewReplicaSetAvailable' }] } })
    await deployments.patch('web', { spec: { replicas: 1 } }, { subresource: 'scale' })
    await waitForPods('web:2', 1)
    const sets = await cluster.resource('replicasets.apps').list()
    const revisions = sets.items.map(({ spec, metadata }) => [metadata.annotations?.['deployment.kubernetes.io/revision'], spec?.replicas])
    expect(Object.fromEntries(revisions)).toEqual({ 1: 0, 2: 1 })
    await deployments.delete('web')
    await waitForPods('', 0)
  })

  test('stay unavailable while their pods are not ready, and keep the old pods', async () => {
    await cluster.apply(createDeployment('broken', { replicas: 2 }))
    const deployment = await cluster
      .resource('deployments.apps')
      .waitFor('broken', (object) => object?.status?.replicas === 2 && object.status.unavailableReplicas === 2)
    expect(deployment).toMatchObject({ status: { conditions: [{ type: 'Available', status: 'False' }, { type: 'Progressing' }] } })
  })

  test('replace a deleted pod', async () => {
    await cluster.apply(createDeployment('healing', { replicas: 1 }))
    await cluster.waitFor(createDeployment('healing'), 'Available')
    const pods = cluster.resource('pods')
    const [first] = (await pods.list({ labelSelector: 'app=healing' })).items
    await pods.delete(first!.metadata.name!)
    await expect
      .poll(async () =>
        (await pods.list({ labelSelector: 'app=healing' })).items.map(({ metadata, status }) => [
          metadata.uid === first!.metadata.uid,
          status?.phase,
        ]),
      )
      .toEqual([[false, 'Running']])
  })
})

test('workloads of a fork run too, and do not affect the first cluster', async () => {
  await using fork = await cluster.fork()
  await fork.apply(createPod('forked'))
  await fork.waitFor(createPod('forked'), 'Ready')
  await expect(cluster.resource('pods').get('forked')).rejects.toMatchObject({ reason: 'NotFound' })
})

test('pods stay pending without workloads', async () => {
  await using quiet = await startKeelson()
  await quiet.apply(createPod('pending'))
  await expect(quiet.waitFor(createPod('pending'), 'Ready', { timeoutMs: 200 })).rejects.toThrow('"phase": "Pending"')
})
