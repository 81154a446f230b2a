import type { Pod, PodSpec, ResourceQuota } from '@keelson/api/core/v1'
import type { KubeObject } from '@keelson/apimachinery'
import { apiGroups } from '@keelson/resources'
import { coreGroups } from '@keelson/resources-core'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { AdmissionPlugin } from '../admission.ts'
import { openTestCluster, update, write } from '../plugin.fixture.ts'
import type { Plural, TestCluster } from '../plugin.fixture.ts'
import { createResourceQuotaPlugin } from './index.ts'

/** Quota rules of all resource definitions, by plural name. */
const quotaOf = new Map([...coreGroups, ...apiGroups].flatMap(({ resources }) => resources.map(({ plural, quota }) => [plural, quota])))

type Amounts = Record<string, string>

let cluster: TestCluster
let plugin: AdmissionPlugin
beforeEach(() => {
  cluster = openTestCluster(undefined, (plural) => quotaOf.get(plural))
  plugin = createResourceQuotaPlugin(cluster)
})
afterEach(() => cluster[Symbol.asyncDispose]())

async function storeQuota(hard: Amounts, used: Amounts = {}, spec: ResourceQuota['spec'] = {}): Promise<void> {
  const zero = Object.fromEntries(Object.keys(hard).map((name) => [name, '0']))
  const object: ResourceQuota = { metadata: { name: 'q' }, spec: { hard, ...spec }, status: { hard, used: { ...zero, ...used } } }
  await cluster.create('resourcequotas', object)
}

async function readUsage(): Promise<Amounts> {
  const object = await cluster.resource<ResourceQuota>('resourcequotas').get('ns', 'q', { resourceVersion: '' })
  return object?.status?.used ?? {}
}

const create = async (plural: Plural, object: object): Promise<void> =>
  plugin.validate?.(write(plural, { metadata: { name: 'x' }, ...object }))

const createContainer = (requests?: Amounts, limits?: Amounts): PodSpec['containers'] => [
  { name: 'c', resources: { ...(requests && { requests }), ...(limits && { limits }) } },
]
const createPod = (spec: Partial<PodSpec>): Pod => ({ metadata: { name: 'x' }, spec: { containers: createContainer(), ...spec } })

describe('ResourceQuota', () => {
  it.each<[string, Plural, object, Amounts]>([
    ['objects', 'configmaps', {}, { 'count/configmaps': '1', configmaps: '1' }],
    ['objects of other groups', 'deployments', {}, { 'count/deployments.apps': '1' }],
    ['pods', 'pods', createPod({}), { pods: '1', 'count/pods': '1' }],
    [
      'pod totals',
      'pods',
      createPod({
        containers: createContainer({ cpu: '1', memory: '1Gi', 'example.com/gpu': '2' }, { cpu: '2' }),
        overhead: { cpu: '100m' },
      }),
      { cpu: '1100m', 'requests.cpu': '1100m', 'limits.cpu': '2100m', 'requests.memory': '1Gi', 'requests.example.com/gpu': '2' },
    ],
    ['pods as a whole', 'pods', createPod({ resources: { requests: { cpu: '3' } } }), { 'requests.cpu': '3' }],
    [
      'future ports of services',
      'services',
      { spec: { type: 'LoadBalancer', ports: [{ port: 1 }, { port: 2 }] } },
      { services: '1', 'services.nodeports': '2', 'services.loadbalancers': '1' },
    ],
    [
      'storage in total and by class',
      'persistentvolumeclaims',
      { spec: { storageClassName: 'gold', resources: { requests: { storage: '5Gi' } } } },
      { 'requests.storage': '5Gi', 'gold.storageclass.storage.k8s.io/requests.storage': '5Gi', persistentvolumeclaims: '1' },
    ],
    [
      'maximum devices by class',
      'resourceclaims',
      {
        spec: {
          devices: {
            requests: [
              { name: 'a', exactly: { deviceClassName: 'gpu', allocationMode: 'ExactCount', count: 2 } },
              {
                name: 'b',
                firstAvailable: [
                  { name: 'x', deviceClassName: 'gpu', allocationMode: 'ExactCount', count: 3 },
                  { name: 'y', deviceClassName: 'gpu', allocationMode: 'ExactCount', count: 1 },
                ],
              },
            ],
          },
        },
      },
      { 'gpu.deviceclass.resource.k8s.io/devices': '5', 'count/resourceclaims.resource.k8s.io': '1' },
    ],
  ])('counts %s', async (_what, plural, object, expected) => {
    await storeQuota(Object.fromEntries(Object.keys(expected).map((name) => [name, '100Gi'])))
    await create(plural, object)
    expect(await readUsage()).toEqual(expected)
  })

  it('refuses writes over the limit and names the exceeded resources', async () => {
    await storeQuota({ 'requests.cpu': '2', pods: '10' }, { 'requests.cpu': '1500m', pods: '3' })
    await expect(create('pods', createPod({ containers: createContainer({ cpu: '1' }) }))).rejects.toMatchObject({
      code: 403,
      message: 'pods "x" is forbidden: exceeded quota: q, requested: requests.cpu=1, used: requests.cpu=1500m, limited: requests.cpu=2',
    })
    expect(await readUsage()).toEqual({ 'requests.cpu': '1500m', pods: '3' })
  })

  it('requires containers to specify limited resources', async () => {
    await storeQuota({ 'limits.cpu': '2', memory: '1Gi' })
    await expect(create('pods', createPod({}))).rejects.toThrow('failed quota: q: must specify limits.cpu for: c; memory for: c')
    await create('pods', createPod({ resources: { limits: { cpu: '1' } } }))
  })

  it('refuses writes until usage is calculated', async () => {
    const hard = { pods: '1', 'count/pods': '1' }
    await cluster.create('resourcequotas', { metadata: { name: 'q' }, status: { hard } } as ResourceQuota)
    await expect(create('pods', createPod({}))).rejects.toThrow('status unknown for quota: q, resources: count/pods,pods')
  })

  it.each<[string, ResourceQuota['spec'], Partial<PodSpec>, boolean]>([
    ['best effort', { scopes: ['BestEffort'] }, {}, true],
    ['best effort, for a pod with requests', { scopes: ['BestEffort'] }, { containers: createContainer({ cpu: '1' }) }, false],
    ['terminating', { scopes: ['Terminating'] }, { activeDeadlineSeconds: 5 }, true],
    ['both scopes', { scopes: ['NotTerminating', 'NotBestEffort'] }, {}, false],
    ['a priority', { scopes: ['PriorityClass'] }, { priorityClassName: 'high' }, true],
    [
      'another priority',
      { scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: ['low'] }] } },
      { priorityClassName: 'high' },
      false,
    ],
    [
      'no priority',
      { scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'NotIn', values: ['low'] }] } },
      {},
      true,
    ],
    [
      'affinity across namespaces',
      { scopes: ['CrossNamespacePodAffinity'] },
      { affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'a', namespaces: ['b'] }] } } },
      true,
    ],
  ])('matches scope: %s', async (_what, spec, podSpec, isCounted) => {
    await storeQuota({ pods: '5' }, {}, spec)
    await create('pods', createPod(podSpec))
    expect(await readUsage()).toEqual({ pods: isCounted ? '1' : '0' })
  })

  it('charges an update for its increase', async () => {
    const createService = (type: string): KubeObject => ({ metadata: { name: 'x' }, spec: { type, ports: [{ port: 1 }] } }) as KubeObject
    await storeQuota({ services: '1', 'services.nodeports': '1' }, { services: '1' })
    await plugin.validate?.(update('services', createService('ClusterIP'), createService('NodePort')))
    expect(await readUsage()).toEqual({ services: '1', 'services.nodeports': '1' })
    await plugin.validate?.(update('services', createService('NodePort'), createService('ClusterIP')))
    expect(await readUsage()).toEqual({ services: '1', 'services.nodeports': '1' })
  })

  it('evaluates a dry run without counting it', async () => {
    await storeQuota({ configmaps: '0' })
    const object = { metadata: { name: 'x' } }
    await expect(async () => plugin.validate?.(write('configmaps', object, { dryRun: true }))).rejects.toThrow('exceeded quota')
  })

  it('does not count events', async () => {
    await storeQuota({ 'count/events': '0' })
    await create('events', { involvedObject: { namespace: 'ns' } })
    expect(await readUsage()).toEqual({ 'count/events': '0' })
  })

  it('does not limit other namespaces', async () => {
    await storeQuota({ configmaps: '0' })
    await plugin.validate?.(write('configmaps', { metadata: { name: 'x' } }, { namespace: 'other' }))
    expect(await readUsage()).toEqual({ configmaps: '0' })
  })

  describe('with limited resources', () => {
    const scope = { scopeName: 'PriorityClass', operator: 'In', values: ['high', 'mid'] }
    const limitedResources = [
      { resource: 'pods', matchContains: ['cpu', 'example.com'], matchScopes: [scope] },
      { resource: 'deployments', apiGroup: 'apps', matchContains: ['count/'] },
    ]
    beforeEach(() => {
      plugin = createResourceQuotaPlugin(cluster, {
        kind: 'ResourceQuotaConfiguration',
        apiVersion: 'apiserver.config.k8s.io/v1',
        limitedResources,
      })
    })
    const requests = (amounts: Amounts): Pod => createPod({ containers: createContainer(amounts) })
    const uncoveredScope = 'insufficient quota to match these scopes: [{PriorityClass In [high mid]}]'

    it.each([
      [requests({ cpu: '1', 'example.com/gpu': '1', memory: '1' }), 'cpu,requests.cpu,requests.example.com/gpu'],
      [requests({ 'example.com/gpu': '1' }), 'requests.example.com/gpu'],
    ])('rejects an object that consumes them without a quota', async (object, names) => {
      await expect(async () => create('pods', object)).rejects.toMatchObject({
        code: 403,
        message: `pods "x" is forbidden: insufficient quota to consume: ${names}`,
      })
    })

    it('admits an object if quotas cover what it consumes', async () => {
      await storeQuota({ 'requests.cpu': '1', cpu: '1' })
      await create('pods', requests({ cpu: '1' }))
      expect(await readUsage()).toEqual({ 'requests.cpu': '1', cpu: '1' })
      await expect(create('pods', requests({ cpu: '1' }))).rejects.toThrow('exceeded quota: q')
      const other = requests({ cpu: '1', 'example.com/gpu': '1' })
      await expect(async () => create('pods', other)).rejects.toThrow('insufficient quota to consume: requests.example.com/gpu')
    })

    it('admits objects that consume none of them', async () => {
      await create('pods', requests({ memory: '1', cpu: '0' }))
      await create('configmaps', {})
    })

    it('limits resources of other groups', async () => {
      await expect(async () => create('deployments', {})).rejects.toThrow('insufficient quota to consume: count/deployments.apps')
      await storeQuota({ 'count/deployments.apps': '1' })
      await vi.waitFor(() => create('deployments', {}), { timeout: 60_000 })
    })

    it('rejects an object in a limited scope without a quota for the scope', async () => {
      const high = createPod({ priorityClassName: 'high' })
      await expect(async () => create('pods', high)).rejects.toMatchObject({ code: 500, message: uncoveredScope })
      await create('pods', createPod({ priorityClassName: 'low' }))
      const selector = { scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: ['high'] }] } }
      await storeQuota({ pods: '1' }, {}, selector)
      await vi.waitFor(() => create('pods', high), { timeout: 60_000 })
      await expect(async () => create('pods', createPod({ priorityClassName: 'mid' }))).rejects.toThrow(uncoveredScope)
    })

    it('admits an update that consumes nothing more', async () => {
      const old = createPod({ containers: createContainer({ cpu: '1' }), activeDeadlineSeconds: 1 })
      await plugin.validate?.(update('pods', old, createPod({ containers: createContainer({ cpu: '1' }) })))
      const more = createPod({ containers: createContainer({ cpu: '2' }) })
      await expect(async () => plugin.validate?.(update('pods', old, more))).rejects.toThrow(
        'insufficient quota to consume: cpu,requests.cpu',
      )
    })
  })

  it.each([
    ['resourcequota.admission.k8s.io/v1beta1', 'Configuration'],
    ['resourcequota.admission.k8s.io/v1alpha1', 'Configuration'],
    ['apiserver.config.k8s.io/v1', 'ResourceQuotaConfiguration'],
  ])('reads a configuration of %s', (apiVersion, kind) => {
    expect(createResourceQuotaPlugin(cluster, { apiVersion, kind, limitedResources: [] }).name).toBe('ResourceQuota')
    const other = kind === 'Configuration' ? 'ResourceQuotaConfiguration' : 'Configuration'
    const refusal = `no kind "${other}" is registered for version "${apiVersion}"`
    expect(() => createResourceQuotaPlugin(cluster, { apiVersion, kind: other })).toThrow(refusal)
  })

  it.each([
    [[{}, { resource: 'pods', foo: 1 }], 'strict decoding error: unknown field "limitedResources[1].foo", unknown field "x"'],
    [
      [{ resource: 'pods', matchScopes: [{ scope: 'a' }] }],
      'strict decoding error: unknown field "limitedResources[0].matchScopes[0].scope", unknown field "x"',
    ],
  ])('lists the unknown members of the configuration %j', (limitedResources, message) => {
    const head = { kind: 'ResourceQuotaConfiguration', apiVersion: 'apiserver.config.k8s.io/v1' }
    expect(() => createResourceQuotaPlugin(cluster, { ...head, limitedResources, x: 1 })).toThrow(new Error(message))
  })

  it('refuses limited resources without a name', () => {
    const head = { kind: 'ResourceQuotaConfiguration', apiVersion: 'apiserver.config.k8s.io/v1' }
    const required = '[limitedResources[0].resource: Required value, limitedResources[1].resource: Required value]'
    expect(() => createResourceQuotaPlugin(cluster, { ...head, limitedResources: [{}, { apiGroup: 'x' }] })).toThrow(new Error(required))
  })

  it.each([
    [0, 1],
    [1, 1],
    [3, 8],
    [8, 3],
    [5, 20],
  ])('admits exactly %i of %i concurrent writes', async (room, count) => {
    await storeQuota({ configmaps: String(room) })
    const writes = Array.from({ length: count }, (_, i) => write('configmaps', { metadata: { name: `x${i}` } }))
    const outcomes = await Promise.allSettled(writes.map(async (attributes) => plugin.validate?.(attributes)))
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(Math.min(room, count))
    expect(await readUsage()).toEqual({ configmaps: String(Math.min(room, count)) })
  })
})
