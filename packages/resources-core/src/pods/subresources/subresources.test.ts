import { createApiTypes } from '@keelson/api'
import { autoscalingV1 } from '@keelson/api/autoscaling/v1'
import { coreV1 } from '@keelson/api/core/v1'
import type { Binding, Pod, PodSpec, PodStatus } from '@keelson/api/core/v1'
import { policyV1 } from '@keelson/api/policy/v1'
import type { PodDisruptionBudget } from '@keelson/api/policy/v1'
import type { ApiError, KubeObject } from '@keelson/apimachinery'
import type { NamedCreater, Updater } from '@keelson/registry'
import { openTestStore, getPlainObject, put, testContext } from '@keelson/registry/testing'
import type { TestStore } from '@keelson/registry/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { setPodDefaults } from '../defaults.ts'
import { pods } from '../index.ts'
import { createBindings, createBindingSubresource } from './binding.ts'
import { createEvictionSubresource } from './eviction.ts'

const types = createApiTypes([coreV1, policyV1, autoscalingV1])
const context = testContext('ns')
const real = { dryRun: false }

let test: TestStore<Pod>
let budgets: PodDisruptionBudget[]
beforeEach(() => {
  budgets = []
  const accessor = {
    list: async () => budgets,
    async updateStatus(_namespace: string, name: string, change: (budget: PodDisruptionBudget) => PodDisruptionBudget) {
      const index = budgets.findIndex(({ metadata }) => metadata.name === name)
      budgets[index] = change(structuredClone(budgets[index]!))
    },
  }
  test = openTestStore(pods, {
    types,
    subresources: { binding: createBindingSubresource, eviction: createEvictionSubresource({ budgets: accessor }) },
  })
})
afterEach(() => test[Symbol.asyncDispose]())

async function createPod(name: string, spec: Partial<PodSpec> = {}, status?: PodStatus): Promise<Pod> {
  const pod: Pod = { metadata: { name, labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image: 'i' }], ...spec } }
  setPodDefaults(pod)
  const created = getPlainObject(await test.store.create(context, pod, real)) as Pod
  return status === undefined ? created : write('status', { ...created, status: { ...created.status, ...status } })
}

async function write(subresource: string, pod: Pod): Promise<Pod> {
  const storage = test.paths.get(`pods/${subresource}`) as unknown as Updater
  return getPlainObject((await storage.update(context, pod.metadata.name!, { change: put(pod), ...real })).object)
}

const read = async (name: string): Promise<Pod> => getPlainObject(await test.store.get(context, name, {}))
const running: PodStatus = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] }

function post(subresource: string, name: string, body: KubeObject, dryRun = false): Promise<KubeObject> {
  const storage = test.paths.get(`pods/${subresource}`) as unknown as NamedCreater
  return storage.createNamed(context, name, body, { dryRun }).then(getPlainObject)
}

const readFailure = (promise: Promise<unknown>): Promise<ApiError> =>
  promise.then(
    () => expect.unreachable('it was let through'),
    (error: unknown) => error as ApiError,
  )

describe('binding', () => {
  const to = (node: string, overrides: Partial<Binding['metadata']> = {}): KubeObject => {
    const binding: Binding = { metadata: { name: 'p', ...overrides }, target: { kind: 'Node', name: node } }
    return binding
  }

  it('assigns a node once, and copies labels and annotations of the Binding to the pod', async () => {
    await createPod('p')
    expect(await post('binding', 'p', to('n1', { labels: { zone: 'z' }, annotations: { by: 'me' } }))).toMatchObject({
      status: 'Success',
      code: 201,
    })
    const bound = await read('p')
    expect(bound.spec?.nodeName).toBe('n1')
    expect(bound.metadata).toMatchObject({ labels: { app: 'a', zone: 'z' }, annotations: { by: 'me' }, generation: 1 })
    expect(bound.status?.conditions).toMatchObject([{ type: 'PodScheduled', status: 'True' }])
    const { message, code } = await readFailure(post('binding', 'p', to('n2')))
    expect([code, message]).toEqual([409, 'Operation cannot be fulfilled on pods/binding "p": pod p is already assigned to node "n1"'])
  })

  it('lets one of two concurrent bindings succeed', async () => {
    await createPod('p')
    const results = await Promise.allSettled(['n1', 'n2', 'n3'].map((node) => post('binding', 'p', to(node))))
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  it('rejects pods with scheduling gates, with another UID, or that do not exist', async () => {
    await createPod('p', { schedulingGates: [{ name: 'example.com/g' }] })
    expect((await readFailure(post('binding', 'p', to('n1')))).message).toMatch(/has non-empty \.spec\.schedulingGates$/)
    expect((await readFailure(post('binding', 'p', to('n1', { uid: 'another' })))).code).toBe(409)
    expect((await readFailure(post('binding', 'q', to('n1')))).code).toBe(400)
    expect((await readFailure(post('binding', 'q', { ...to('n1'), metadata: { name: 'q' } }))).code).toBe(404)
    const pod: Binding = { metadata: { name: 'p' }, target: { kind: 'Pod', name: 'x' } }
    expect(await readFailure(post('binding', 'p', pod))).toMatchObject({
      code: 500,
      message: 'target.kind: Unsupported value: "Pod": supported values: "Node", "<empty>"',
    })
  })

  it('changes nothing in a dry run, and accepts the pod name in the body', async () => {
    await createPod('p')
    await post('binding', 'p', to('n1'), true)
    expect((await read('p')).spec?.nodeName).toBeUndefined()
    await createBindings(test.store).create(context, to('n1'), real)
    expect((await read('p')).spec?.nodeName).toBe('n1')
  })
})

describe('ephemeral containers', () => {
  const debug = {
    name: 'debug',
    image: 'busybox',
    imagePullPolicy: 'Always',
    terminationMessagePolicy: 'File',
    terminationMessagePath: '/dev/l',
  }

  it('adds ephemeral containers, but rejects changes of existing ones', async () => {
    const pod = await createPod('p')
    const spec = pod.spec!
    const grown = await write('ephemeralcontainers', {
      ...pod,
      metadata: { ...pod.metadata, labels: { ignored: 'yes' } },
      spec: { ...spec, hostname: 'ignored', ephemeralContainers: [debug] },
    })
    expect(grown.spec).toEqual({ ...spec, ephemeralContainers: [{ ...debug, resources: {} }] })
    expect(grown.metadata).toMatchObject({ labels: { app: 'a' }, generation: 2 })
    const changed = { ...grown, spec: { ...grown.spec!, ephemeralContainers: [{ ...debug, image: 'other' }] } }
    expect((await readFailure(write('ephemeralcontainers', changed))).message).toMatch(
      /existing ephemeral containers "debug" may not be changed/,
    )
    expect((await readFailure(write('ephemeralcontainers', { ...grown, spec }))).message).toMatch(/"debug" may not be removed/)
  })

  it('requires unique names, and rejects ephemeral containers in static pods', async () => {
    const pod = await createPod('p')
    const twin = { ...pod, spec: { ...pod.spec!, ephemeralContainers: [{ ...debug, name: 'c' }] } }
    expect((await readFailure(write('ephemeralcontainers', twin))).status.details?.causes?.[0]?.field).toBe(
      'spec.ephemeralContainers[0].name',
    )
  })
})

describe('resize', () => {
  const createContainers = (cpu: string): PodSpec['containers'] => [
    { name: 'c', image: 'i', resources: { requests: { cpu, memory: '1Gi' }, limits: { cpu: '2', memory: '1Gi' } } },
  ]
  const resizePod = (pod: Pod, cpu: string, overrides: Partial<NonNullable<PodSpec['containers']>[number]> = {}): Pod => {
    const [container] = pod.spec!.containers!
    return {
      ...pod,
      spec: { ...pod.spec!, containers: [{ ...container!, resources: createContainers(cpu)![0]!.resources!, ...overrides }] },
    }
  }

  it('changes only CPU and memory', async () => {
    const pod = await createPod('p', { containers: createContainers('1') })
    const grown = await write('resize', resizePod(pod, '1500m', { image: 'ignored' }))
    expect(grown.spec?.containers?.[0]).toMatchObject({ image: 'i', resources: { requests: { cpu: '1500m' } } })
    expect(grown.metadata.generation).toBe(2)
    const disk = { requests: { cpu: '1', memory: '1Gi', 'ephemeral-storage': '1Gi' }, limits: { cpu: '2', memory: '1Gi' } }
    expect((await readFailure(write('resize', resizePod(grown, '1', { resources: disk })))).message).toMatch(
      /spec: Forbidden: only cpu and memory resources are mutable/,
    )
  })

  it('rejects changes of QoS class, removed requests and reordered containers', async () => {
    const pod = await createPod('p', { containers: createContainers('1') })
    expect((await readFailure(write('resize', resizePod(pod, '2')))).message).toMatch(
      /Pod QOS Class may not change as a result of resizing/,
    )
    const without = { requests: { cpu: '1' }, limits: { cpu: '2', memory: '1Gi' } }
    expect((await readFailure(write('resize', resizePod(pod, '1', { resources: without })))).message).toMatch(
      /resource requests cannot be removed/,
    )
    expect((await readFailure(write('resize', resizePod(pod, '1', { name: 'd' })))).message).toMatch(
      /may not be renamed or reordered on resize/,
    )
  })
})

describe('eviction', () => {
  const evict = (name: string, dryRun = false, deleteOptions?: object): Promise<KubeObject> =>
    post('eviction', name, { metadata: { name }, ...(deleteOptions && { deleteOptions }) }, dryRun)
  const createBudget = (disruptionsAllowed: number, overrides: Partial<PodDisruptionBudget> = {}): PodDisruptionBudget => ({
    metadata: { name: 'b', namespace: 'ns', generation: 1 },
    spec: { selector: { matchLabels: { app: 'a' } } },
    status: { observedGeneration: 1, disruptionsAllowed, currentHealthy: 2, desiredHealthy: 2, expectedPods: 2 },
    ...overrides,
  })

  it('deletes a pod without a budget and sets its condition', async () => {
    await createPod('p', { nodeName: 'n' }, running)
    expect(await evict('p')).toMatchObject({ kind: 'Status', status: 'Success', code: 201 })
    const { metadata, status } = await read('p')
    expect(metadata.deletionGracePeriodSeconds).toBe(30)
    expect(status?.conditions?.at(-1)).toMatchObject({ type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI' })
    expect((await readFailure(evict('none'))).code).toBe(404)
  })

  it('succeeds until the budget allows no more disruptions', async () => {
    budgets = [createBudget(1)]
    for (const name of ['p', 'q']) await createPod(name, { nodeName: 'n' }, running)
    await evict('p', true)
    expect(budgets[0]?.status?.disruptionsAllowed).toBe(1)
    await evict('p')
    expect(budgets[0]?.status).toMatchObject({ disruptionsAllowed: 0, disruptedPods: { p: expect.stringMatching(/Z$/) as string } })
    expect(budgets[0]?.status?.conditions).toMatchObject([{ type: 'DisruptionAllowed', status: 'False', reason: 'InsufficientPods' }])
    const refused = await readFailure(evict('q'))
    expect(refused).toMatchObject({ code: 429, reason: 'TooManyRequests' })
    expect(refused.status.details?.causes).toEqual([
      { reason: 'DisruptionBudget', message: 'The disruption budget b needs 2 healthy pods and has 2 currently' },
    ])
    expect((await read('q')).metadata.deletionTimestamp).toBeUndefined()
  })

  it('fails if a budget is outdated or a pod has several budgets', async () => {
    await createPod('p', { nodeName: 'n' }, running)
    budgets = [createBudget(1, { metadata: { name: 'b', generation: 2 } })]
    expect((await readFailure(evict('p'))).status.details).toMatchObject({ retryAfterSeconds: 10 })
    budgets = [createBudget(1), createBudget(1)]
    expect(await evict('p')).toMatchObject({ status: 'Failure', code: 500 })
  })

  it('ignores budgets for pending and terminated pods', async () => {
    budgets = [createBudget(0)]
    await createPod('pending', { nodeName: 'n' })
    await createPod('done', { nodeName: 'n' }, { phase: 'Succeeded' })
    await evict('pending')
    await evict('done')
    await expect(read('done')).rejects.toMatchObject({ code: 404 })
    expect(budgets[0]?.status?.disruptedPods).toBeUndefined()
  })

  it('evicts unready pods if the policy allows it or enough pods are healthy', async () => {
    const unready: PodStatus = { phase: 'Running', conditions: [{ type: 'Ready', status: 'False' }] }
    for (const name of ['p', 'q', 'r']) await createPod(name, { nodeName: 'n' }, unready)
    budgets = [createBudget(0)]
    await evict('p')
    const short = { observedGeneration: 1, disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 2, expectedPods: 2 }
    budgets = [createBudget(0, { status: short })]
    expect((await readFailure(evict('q'))).code).toBe(429)
    budgets = [createBudget(0, { status: short, spec: { selector: {}, unhealthyPodEvictionPolicy: 'AlwaysAllow' } })]
    await evict('r')
    expect((await read('r')).metadata.deletionTimestamp).toBeDefined()
  })

  it('applies preconditions and dry run from the body', async () => {
    await createPod('p', { nodeName: 'n' }, running)
    expect((await readFailure(evict('p', false, { preconditions: { resourceVersion: '1' } }))).code).toBe(409)
    await evict('p', false, { dryRun: ['All'] })
    expect((await read('p')).metadata.deletionTimestamp).toBeUndefined()
    const { metadata } = await read('p')
    await evict('p', false, { preconditions: { resourceVersion: metadata.resourceVersion, uid: metadata.uid } })
    expect((await read('p')).metadata.deletionTimestamp).toBeDefined()
  })
})
