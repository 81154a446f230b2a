import type { Container, LimitRangeItem, PersistentVolumeClaim, Pod, PodSpec } from '@keelson/api/core/v1'
import type { KubeObject } from '@keelson/apimachinery'
import { createManualClock } from '@keelson/apimachinery/testing'
import type { ManualClock } from '@keelson/apimachinery/testing'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { AdmissionPlugin } from '../admission.ts'
import { admitObject, openTestCluster, update, write } from '../plugin.fixture.ts'
import type { TestCluster } from '../plugin.fixture.ts'
import { limitRanger } from './index.ts'

let cluster: TestCluster
let clock: ManualClock
let plugin: AdmissionPlugin
beforeEach(() => {
  cluster = openTestCluster(['pods', 'persistentvolumeclaims', 'limitranges'])
  clock = createManualClock()
  plugin = limitRanger({ ...cluster, clock })
})
afterEach(() => cluster[Symbol.asyncDispose]())

const limit = (...limits: LimitRangeItem[]): Promise<void> =>
  cluster.create('limitranges', { metadata: { name: 'limits' }, spec: { limits } } as KubeObject)
const createContainer = (requests?: Record<string, string>, limits?: Record<string, string>, name = 'c'): Container => ({
  name,
  resources: { ...(requests && { requests }), ...(limits && { limits }) },
})
const createPod = (containers: Container[], overrides: Partial<PodSpec> = {}): Pod => ({
  metadata: { name: 'p' },
  spec: { containers, ...overrides },
})
const admit = (object: Pod): Promise<Pod> => admitObject<Pod>(plugin, write('pods', object))
const expectRefusal = (object: Pod, message: string) =>
  expect(admit(object)).rejects.toMatchObject({ code: 403, message: `pods "p" is forbidden: ${message}` })

it('sets defaults and records them', async () => {
  await limit(
    { type: 'Container', default: { cpu: '1', memory: '1Gi' }, defaultRequest: { memory: '512Mi', cpu: '500m' } },
    { type: 'Pod' },
  )
  const admittedPod = await admit(
    createPod([createContainer({ cpu: '1m' }), createContainer({ cpu: '1' }, { cpu: '2' }, 'd')], { initContainers: [{ name: 'i' }] }),
  )
  expect(admittedPod.spec!.containers!.map(({ resources }) => resources)).toEqual([
    { requests: { cpu: '1m', memory: '512Mi' }, limits: { cpu: '1', memory: '1Gi' } },
    { requests: { cpu: '1', memory: '512Mi' }, limits: { cpu: '2', memory: '1Gi' } },
  ])
  expect(admittedPod.metadata.annotations).toEqual({
    'kubernetes.io/limit-ranger':
      'LimitRanger plugin set: memory request for container c; cpu, memory limit for container c; memory request for container d; ' +
      'memory limit for container d; cpu, memory request for init container i; cpu, memory limit for init container i',
  })
})

it('changes nothing without limit ranges', async () => {
  expect(await admit(createPod([{ name: 'c' }]))).toEqual(createPod([{ name: 'c' }]))
  await limit({ type: 'Container', min: { cpu: '1' } })
  expect(await admit(createPod([createContainer({ cpu: '1' })]))).toEqual(createPod([createContainer({ cpu: '1' })]))
})

it.each<[LimitRangeItem, Container, string]>([
  [{ type: 'Container', min: { cpu: '100m' } }, createContainer(), 'minimum cpu usage per Container is 100m.  No request is specified'],
  [
    { type: 'Container', min: { cpu: '100m' } },
    createContainer({ cpu: '99m' }),
    'minimum cpu usage per Container is 100m, but request is 99m',
  ],
  [
    { type: 'Container', min: { cpu: '100m' } },
    createContainer({ cpu: '1' }, { cpu: '50m' }),
    'minimum cpu usage per Container is 100m, but limit is 50m',
  ],
  [{ type: 'Container', max: { memory: '1Gi' } }, createContainer(), 'maximum memory usage per Container is 1Gi.  No limit is specified'],
  [
    { type: 'Container', max: { memory: '1Gi' } },
    createContainer({}, { memory: '1025Mi' }),
    'maximum memory usage per Container is 1Gi, but limit is 1025Mi',
  ],
  [
    { type: 'Container', max: { memory: '1Gi' } },
    createContainer({ memory: '2Gi' }, { memory: '1Gi' }),
    'maximum memory usage per Container is 1Gi, but request is 2Gi',
  ],
  [
    { type: 'Container', maxLimitRequestRatio: { cpu: '2' } },
    createContainer({ cpu: '0' }, { cpu: '1' }),
    'cpu max limit to request ratio per Container is 2, but no request is specified or request is 0',
  ],
  [
    { type: 'Container', maxLimitRequestRatio: { cpu: '2' } },
    createContainer({ cpu: '1' }),
    'cpu max limit to request ratio per Container is 2, but no limit is specified or limit is 0',
  ],
  [
    { type: 'Container', maxLimitRequestRatio: { cpu: '1500m' } },
    createContainer({ cpu: '1' }, { cpu: '1501m' }),
    'cpu max limit to request ratio per Container is 1500m, but provided ratio is 1.501000',
  ],
  [
    { type: 'Container', max: { 'example.com/a': '9223372036854775806' } },
    createContainer({}, { 'example.com/a': '9223372036854775807' }),
    'maximum example.com/a usage per Container is 9223372036854775806, but limit is 9223372036854775807',
  ],
])('refuses a container that violates %j', async (item, of, message) => {
  await limit(item)
  await expectRefusal(createPod([of]), message)
})

it('reports all violations, each once', async () => {
  await limit({ type: 'Container', min: { cpu: '1' }, max: { memory: '1' } })
  const message =
    '[minimum cpu usage per Container is 1.  No request is specified, maximum memory usage per Container is 1.  No limit is specified]'
  await expectRefusal(createPod([createContainer(), createContainer()]), message)
})

it('limits the sum of containers or the pod-level resources', async () => {
  await limit({ type: 'Pod', max: { cpu: '1' } })
  const createHalfContainer = () => createContainer({ cpu: '500m' }, { cpu: '500m' })
  await admit(createPod([createHalfContainer(), createHalfContainer()]))
  await expectRefusal(
    createPod([createHalfContainer(), createHalfContainer(), createHalfContainer()]),
    'maximum cpu usage per Pod is 1, but limit is 1500m',
  )
  await expectRefusal(
    createPod([createHalfContainer()], { initContainers: [createContainer({ cpu: '2' }, { cpu: '2' })] }),
    'maximum cpu usage per Pod is 1, but limit is 2',
  )
  await expectRefusal(
    createPod([createHalfContainer()], { resources: { limits: { cpu: '3' } } }),
    'maximum cpu usage per Pod is 1, but limit is 3',
  )
})

it('limits the storage requested by a claim', async () => {
  await limit({ type: 'PersistentVolumeClaim', min: { storage: '1Gi' }, max: { storage: '2Gi' } })
  const claim = (storage?: string): PersistentVolumeClaim => ({
    metadata: { name: 'd' },
    spec: { resources: { requests: storage === undefined ? {} : { storage } } },
  })
  const submit = (object: PersistentVolumeClaim) => admitObject(plugin, write('persistentvolumeclaims', object))
  await submit(claim('1Gi'))
  await expect(submit(claim('3Gi'))).rejects.toThrow('maximum storage usage per PersistentVolumeClaim is 2Gi, but request is 3Gi')
  await expect(submit(claim())).rejects.toThrow(
    '[minimum storage usage per PersistentVolumeClaim is 1Gi.  No request is specified, maximum storage usage per PersistentVolumeClaim is 2Gi.  No request is specified]',
  )
})

it('checks updates that resize, except during deletion', async () => {
  await limit({ type: 'Container', max: { cpu: '1' } })
  const large = createPod([createContainer({}, { cpu: '2' })])
  await admitObject(plugin, update('pods', large, large))
  await expect(admitObject(plugin, update('pods', large, large, { subresource: 'resize' }))).rejects.toMatchObject({ code: 403 })
  const going = { ...large, metadata: { name: 'p', deletionTimestamp: '2026-01-01T00:00:00Z' } }
  await admitObject(plugin, update('pods', going, large, { subresource: 'resize' }))
})

it('reads the store at most every 30 s for a namespace without ranges', async () => {
  await cluster.informers.of({ group: '', resource: 'limitranges' })!.synced
  const list = vi.spyOn(cluster.resource('limitranges'), 'list')
  await Promise.all([admit(createPod([])), admit(createPod([]))])
  expect(plugin.admit!(write('pods', createPod([])))).toBeUndefined()
  expect(list).toHaveBeenCalledTimes(1)
  clock.advance(30_001)
  await admit(createPod([]))
  expect(list).toHaveBeenCalledTimes(2)
})
