import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createManualClock } from '@keelson/apimachinery/testing'
import type { ManualClock } from '@keelson/apimachinery/testing'
import { openCluster } from './cluster.fixture.ts'
import type { Cluster } from './cluster.fixture.ts'
import type { ContentResource } from './controller.ts'
import { startControllers } from './start-controllers.ts'
import type { ControllersOptions, RunningControllers } from './start-controllers.ts'

let clock: ManualClock
let cluster: Cluster
let runningControllers: RunningControllers | undefined
let errors: unknown[]
beforeEach(async () => {
  clock = createManualClock(Date.parse('2026-01-01T00:00:00Z'))
  cluster = await openCluster(clock)
  errors = []
})
afterEach(async () => {
  await runningControllers?.[Symbol.asyncDispose]()
  runningControllers = undefined
  await cluster[Symbol.asyncDispose]()
  expect(errors).toEqual([])
})

const start = (enabled = '*', options: Pick<ControllersOptions, 'remoteContent'> = {}): void => {
  runningControllers = startControllers(cluster.client, {
    ...options,
    enabled,
    clock,
    rootCA: 'PEM',
    onError: (_controller, error) => errors.push(error),
  })
}
const waitUntilPasses = (check: () => unknown): Promise<unknown> => vi.waitFor(check, { timeout: 60_000, interval: 5 })
const live = { resourceVersion: '' }
const isGone = (name: string): Promise<unknown> =>
  waitUntilPasses(async () => expect(await cluster.namespaces.get('', name, live)).toBeUndefined())

it("creates and restores a namespace's service account and root CA", async () => {
  await cluster.namespaces.create('', { metadata: { name: 'before' } })
  start()
  expect(runningControllers!.names).toHaveLength(4)
  await cluster.namespaces.create('', { metadata: { name: 'after' } })
  for (const namespace of ['before', 'after']) {
    await waitUntilPasses(async () => expect(await cluster.serviceAccounts.get(namespace, 'default', live)).toBeDefined())
    await waitUntilPasses(async () =>
      expect((await cluster.configMaps.get(namespace, 'kube-root-ca.crt', live))?.data).toEqual({ 'ca.crt': 'PEM' }),
    )
  }
  const first = await cluster.serviceAccounts.get('after', 'default', live)
  await cluster.serviceAccounts.delete('after', 'default')
  await waitUntilPasses(async () => {
    const restored = await cluster.serviceAccounts.get('after', 'default', live)
    expect(restored).toBeDefined()
    expect(restored?.metadata.uid).not.toBe(first?.metadata.uid)
  })
  await cluster.configMaps.update('after', 'kube-root-ca.crt', (map) => ({
    ...map,
    metadata: { ...map.metadata, annotations: {} },
    data: { x: 'y' },
  }))
  await waitUntilPasses(async () => {
    const map = await cluster.configMaps.get('after', 'kube-root-ca.crt', live)
    expect(map?.data).toEqual({ 'ca.crt': 'PEM' })
    expect(map?.metadata.annotations?.['kubernetes.io/description']).toMatch(/^Contains a CA bundle/)
  })
  await cluster.configMaps.delete('after', 'kube-root-ca.crt')
  await waitUntilPasses(async () => expect(await cluster.configMaps.get('after', 'kube-root-ca.crt', live)).toBeDefined())
})

it('deletes a namespace with all its content, and nothing else', async () => {
  start()
  for (const name of ['a', 'b']) {
    await cluster.namespaces.create('', { metadata: { name } })
    for (let i = 0; i < 5; i++) await cluster.configMaps.create(name, { metadata: { name: `c${i}` } })
    await cluster.pods.create(name, { metadata: { name: 'unbound' } })
    await cluster.pods.create(name, { metadata: { name: 'orphan' }, spec: { nodeName: 'no-such-node', terminationGracePeriodSeconds: 30 } })
    await waitUntilPasses(async () => expect(await cluster.configMaps.get(name, 'kube-root-ca.crt', live)).toBeDefined())
    await waitUntilPasses(async () => expect(await cluster.serviceAccounts.get(name, 'default', live)).toBeDefined())
  }
  await cluster.namespaces.delete('', 'a')
  await isGone('a')
  for (const resource of [cluster.configMaps, cluster.pods, cluster.serviceAccounts]) {
    expect((await resource.list({ namespace: 'a', ...live })).items).toEqual([])
    expect((await resource.list({ namespace: 'b', ...live })).items).not.toEqual([])
  }
})

it('deletes the objects of other API servers, and keeps the namespace while their resources are unknown', async () => {
  const objects = new Map([
    ['a', ['x', 'y']],
    ['b', ['z']],
  ])
  const flunders: ContentResource = {
    group: 'example.com',
    resource: 'flunders',
    deleteCollection: async (namespace) => void objects.delete(namespace),
    list: async ({ namespace }) => ({ items: (objects.get(namespace) ?? []).map((name) => ({ metadata: { name } })) }),
  }
  const failures = new Map([
    ['example.com/v2', 'stale GroupVersion discovery: example.com/v2'],
    ['example.com/v1', 'stale GroupVersion discovery: example.com/v1'],
  ])
  for (const name of ['a', 'b']) await cluster.namespaces.create('', { metadata: { name } })
  start('namespace-controller', { remoteContent: () => ({ resources: [flunders], failures }) })
  await cluster.namespaces.delete('', 'a')
  const message =
    'unable to retrieve the complete list of server APIs: example.com/v1: stale GroupVersion discovery: example.com/v1, example.com/v2: stale GroupVersion discovery: example.com/v2'
  await waitUntilPasses(async () => {
    const { status, spec } = (await cluster.namespaces.get('', 'a', live))!
    expect(spec?.finalizers).toEqual(['kubernetes'])
    expect(status?.conditions?.find(({ type }) => type === 'NamespaceDeletionDiscoveryFailure')).toMatchObject({
      status: 'True',
      reason: 'DiscoveryFailed',
      message: `Discovery failed for some groups, 2 failing: ${message}`,
    })
  })
  expect([...objects.keys()]).toEqual(['b'])
  await waitUntilPasses(() => expect(errors.length).toBeGreaterThan(0))
  failures.clear()
  clock.advance(60_000)
  await isGone('a')
  for (const error of errors) expect(String(error)).toContain(message)
  errors = []
})

it('deletes a namespace that was Terminating at start', async () => {
  await cluster.namespaces.create('', { metadata: { name: 'a' } })
  await cluster.configMaps.create('a', { metadata: { name: 'c' } })
  await cluster.namespaces.delete('', 'a')
  start('namespace-controller')
  expect(runningControllers!.names).toEqual(['namespace-controller'])
  await isGone('a')
})

it('deletes the content of a namespace with other finalizers, and the namespace when the last finalizer is removed', async () => {
  await cluster.namespaces.create('', { metadata: { name: 'a', finalizers: ['example.com/hold'] } })
  await cluster.configMaps.create('a', { metadata: { name: 'c' } })
  start('namespace-controller')
  await cluster.namespaces.delete('', 'a')
  await waitUntilPasses(async () => expect((await cluster.namespaces.get('', 'a', live))?.spec?.finalizers).toEqual([]))
  expect(await cluster.configMaps.get('a', 'c', live)).toBeUndefined()
  await cluster.namespaces.update('', 'a', (namespace) => ({ ...namespace, metadata: { ...namespace.metadata, finalizers: [] } }))
  await isGone('a')
})

it('gives pods on existing nodes their grace period, and deletes other objects afterwards', async () => {
  await cluster.nodes.create('', { metadata: { name: 'node' } })
  await cluster.namespaces.create('', { metadata: { name: 'a' } })
  await cluster.configMaps.create('a', { metadata: { name: 'used-by-pod' } })
  await cluster.pods.create('a', { metadata: { name: 'p' }, spec: { nodeName: 'node', terminationGracePeriodSeconds: 30 } })
  start('*,-serviceaccount-controller,-root-ca-certificate-publisher-controller')
  await cluster.namespaces.delete('', 'a')
  await waitUntilPasses(async () => {
    const { status } = (await cluster.namespaces.get('', 'a', live))!
    expect(status?.phase).toBe('Terminating')
    expect(status?.conditions?.find(({ type }) => type === 'NamespaceContentRemaining')).toMatchObject({
      status: 'True',
      reason: 'SomeResourcesRemain',
      message: 'Some resources are remaining: pods. has 1 resource instances',
    })
  })
  expect(await cluster.configMaps.get('a', 'used-by-pod', live)).toBeDefined()
  await cluster.pods.delete('a', 'p', { gracePeriodSeconds: 0 })
  await waitUntilPasses(async () => {
    clock.advance(16_000)
    expect(await cluster.namespaces.get('', 'a', live)).toBeUndefined()
  })
})

it('waits for content with finalizers, and reports the content in conditions of the namespace', async () => {
  await cluster.namespaces.create('', { metadata: { name: 'a' } })
  await cluster.configMaps.create('a', { metadata: { name: 'held', finalizers: ['example.com/hold'] } })
  start('namespace-controller')
  await cluster.namespaces.delete('', 'a')
  await waitUntilPasses(async () => {
    const { status } = (await cluster.namespaces.get('', 'a', live))!
    expect(status?.conditions?.find(({ type }) => type === 'NamespaceFinalizersRemaining')?.message).toBe(
      'Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances',
    )
  })
  await cluster.configMaps.update('a', 'held', (map) => ({ ...map, metadata: { ...map.metadata, finalizers: [] } }))
  await waitUntilPasses(async () => {
    clock.advance(8_000)
    expect(await cluster.namespaces.get('', 'a', live)).toBeUndefined()
  })
})

it('deletes the content of a namespace again after a failure', async () => {
  await cluster.namespaces.create('', { metadata: { name: 'a' } })
  await cluster.configMaps.create('a', { metadata: { name: 'c' } })
  const deleteCollection = vi.spyOn(cluster.configMaps, 'deleteCollection').mockRejectedValueOnce(new Error('store is away'))
  start('namespace-controller')
  await cluster.namespaces.delete('', 'a')
  await waitUntilPasses(() => expect(deleteCollection).toHaveBeenCalled())
  await waitUntilPasses(async () => {
    clock.advance(1000)
    expect(await cluster.namespaces.get('', 'a', live)).toBeUndefined()
  })
  expect(errors.splice(0)).toHaveLength(1)
})

it('starts nothing if no controller is selected, and can stop before the initial list', async () => {
  expect(startControllers(cluster.client, { enabled: 'none' }).names).toEqual([])
  start()
  await cluster.namespaces.create('', { metadata: { name: 'a' } })
})
