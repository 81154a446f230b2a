import { systemClock } from '@keelson/apimachinery'
import type { LoopbackClient } from '@keelson/loopback'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startKeelson } from '../index.ts'
import type { KeelsonCluster, KubeObject } from '../index.ts'
import { startWorkloads } from './start-workloads.ts'

let cluster: KeelsonCluster
beforeAll(async () => {
  cluster = await startKeelson({
    workloads: {
      nodes: 3,
      rule: ({ metadata: { labels = {} } }) => {
        if (labels['app'] === 'big') return { phase: 'Pending', reason: 'Unschedulable', message: 'no room' }
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

  test('lose the reason when they run, and are then not written again', async () => {
    const pods = cluster.resource('pods')
    await cluster.apply(createPod('big'))
    const pending = await pods.waitFor('big', (pod) => pod?.status?.reason === 'Unschedulable')
    expect(pending.status).toMatchObject({ phase: 'Pending', message: 'no room' })
    await pods.patch('big', { metadata: { labels: { app: 'small' } } })
    const running = await cluster.waitFor(createPod('big'), 'Ready')
    expect(running).not.toMatchObject({ status: { reason: expect.anything() } })
    expect(running).not.toMatchObject({ status: { message: expect.anything() } })
    const changed = await pods.patch('big', { metadata: { annotations: { color: 'red' } } })
    await cluster.apply(createPod('later'))
    await cluster.waitFor(createPod('later'), 'Ready')
    expect((await pods.get('big')).metadata.resourceVersion).toBe(changed.metadata.resourceVersion)
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

describe('with a frozen clock', () => {
  const listPhases = async (frozen: KeelsonCluster): Promise<readonly unknown[]> => {
    const { items } = await frozen.resource('pods').list()
    return items.map(({ status }) => status?.phase)
  }

  test('finished pods of a replica set are replaced after delays that double, up to 5 minutes', async () => {
    const clock = { start: '2026-01-01T00:00:00Z', frozen: true }
    await using frozen = await startKeelson({ clock, workloads: { rule: () => ({ phase: 'Failed' }) } })
    await frozen.apply(createDeployment('crashing', { replicas: 2 }))
    await expect.poll(() => listPhases(frozen)).toEqual(['Failed', 'Failed'])
    const steps: readonly (readonly [duration: string, pods: number])[] = [
      ['8s', 2],
      ['3s', 4],
      ['15s', 4],
      ['6s', 6],
      ['40s', 8],
      ['80s', 10],
      ['160s', 12],
      ['290s', 12],
      ['12s', 14],
      ['285s', 14],
      ['15s', 16],
    ]
    for (const [duration, count] of steps) {
      await frozen.clock.advance(duration)
      await expect.poll(() => listPhases(frozen)).toEqual(Array.from({ length: count }, () => 'Failed'))
    }
  })

  test('a finished pod does not delay the replacement of a deleted one', async () => {
    await using frozen = await startKeelson({
      clock: { frozen: true },
      workloads: { rule: ({ metadata }) => ({ phase: metadata.labels?.['state'] === 'done' ? 'Succeeded' : 'Running' }) },
    })
    await frozen.apply(createDeployment('web', { replicas: 2 }))
    await expect.poll(() => listPhases(frozen)).toEqual(['Running', 'Running'])
    const pods = frozen.resource('pods')
    const [first, second] = (await pods.list()).items
    await pods.patch(first!.metadata.name!, { metadata: { labels: { state: 'done' } } })
    await pods.waitFor(first!.metadata.name!, (pod) => pod?.status?.phase === 'Succeeded')
    await pods.delete(second!.metadata.name!)
    await pods.waitFor(second!.metadata.name!, 'deleted')
    const listRunning = async (): Promise<readonly unknown[]> => (await listPhases(frozen)).filter((phase) => phase !== 'Succeeded')
    await expect.poll(listRunning).toEqual(['Running'])
    await frozen.clock.advance('10s')
    await expect.poll(listRunning).toEqual(['Running', 'Running'])
  })

  test('a deployment that is created again gets a replica set when the old one has been deleted', async () => {
    const errors: unknown[] = []
    await using frozen = await startKeelson({
      clock: { frozen: true },
      controllers: ['none'],
      workloads: {},
      log: (_level, message, { err } = {}) => message === 'A workload failed' && errors.push(err),
    })
    const deployment = createDeployment('web', { replicas: 0 })
    const sets = frozen.resource('replicasets.apps')
    const listOwners = async (): Promise<readonly unknown[]> =>
      (await sets.list()).items.map(({ metadata }) => metadata.ownerReferences?.[0]?.uid)
    const [first] = await frozen.apply(deployment)
    await expect.poll(listOwners).toEqual([first!.metadata.uid])
    await frozen.resource('deployments.apps').delete('web')
    const [second] = await frozen.apply(deployment)
    // Deployments are handled in the order of their changes.
    const [later] = await frozen.apply(createDeployment('later', { replicas: 0 }))
    await expect.poll(listOwners).toEqual([later!.metadata.uid, first!.metadata.uid])
    await sets.delete((await sets.list()).items[1]!.metadata.name!)
    await expect.poll(listOwners).toEqual([later!.metadata.uid, second!.metadata.uid])
    expect(errors).toEqual([])
  })

  test('a deployment adopts the replica set that its deleted predecessor left', async () => {
    await using frozen = await startKeelson({ workloads: {} })
    await frozen.apply(createDeployment('web'))
    await frozen.waitFor(createDeployment('web'), 'Available')
    const [set] = (await frozen.resource('replicasets.apps').list()).items
    await frozen.resource('deployments.apps').delete('web', { propagationPolicy: 'Orphan' })
    await frozen.waitFor(createDeployment('web'), 'deleted')
    await frozen.apply(createDeployment('web'))
    const { metadata } = await frozen.waitFor(createDeployment('web'), 'Available')
    const { items } = await frozen.resource('replicasets.apps').list()
    expect(items.map(({ metadata: { uid, ownerReferences } }) => [uid, ownerReferences?.map((owner) => owner.uid)])).toEqual([
      [set!.metadata.uid, [metadata.uid]],
    ])
  })
})

test('a start that fails stops the controllers that have started', async () => {
  let signal: AbortSignal | undefined
  const pods = {
    watch: (options: { readonly signal: AbortSignal }) => {
      signal = options.signal
      return new Promise((_resolve, reject) => options.signal.addEventListener('abort', () => reject(new Error('stopped'))))
    },
  }
  const client = { resource: ({ resource }: { resource: string }) => (resource === 'pods' ? pods : undefined) } as unknown as LoopbackClient
  const start = startWorkloads({ client, clock: systemClock, onError: () => {}, bind: async () => {} }, { nodes: 0 })
  await expect(start).rejects.toThrow('workloads need replicasets, which the server does not serve')
  expect(signal?.aborted).toBe(true)
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
