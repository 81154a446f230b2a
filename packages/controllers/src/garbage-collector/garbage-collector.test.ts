import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { DeepReadonly, KubeObject, OwnerReference } from '@keelson/apimachinery'
import { defineResource } from '@keelson/registry'
import { openTestStore } from '@keelson/registry/testing'
import type { FirstObjectOptions } from '@keelson/storagebackend'
import { createManualClock } from '@keelson/apimachinery/testing'
import type { ManualClock } from '@keelson/apimachinery/testing'
import { openCluster } from '../cluster.fixture.ts'
import type { Cluster } from '../cluster.fixture.ts'
import { startControllers } from '../start-controllers.ts'
import type { RunningControllers } from '../start-controllers.ts'

let clock: ManualClock
let cluster: Cluster
let runningControllers: RunningControllers | undefined
let errors: unknown[]
beforeEach(async () => {
  clock = createManualClock(Date.parse('2026-01-01T00:00:00Z'))
  cluster = await openCluster(clock)
  errors = []
  for (const name of ['a', 'b']) await cluster.namespaces.create('', { metadata: { name } })
})
afterEach(async () => {
  await runningControllers?.[Symbol.asyncDispose]()
  runningControllers = undefined
  await cluster[Symbol.asyncDispose]()
  expect(errors).toEqual([])
})

function start(): void {
  runningControllers = startControllers(cluster.client, {
    enabled: 'garbage-collector-controller',
    clock,
    onError: (_controller, error) => errors.push(error),
  })
}

// Advances the clock while the test waits, so that retries and the settle time pass.
const waitUntilPasses = (check: () => unknown): Promise<unknown> =>
  vi.waitFor(
    async () => {
      clock.advance(50)
      await check()
    },
    { timeout: 60_000, interval: 5 },
  )
const live = { resourceVersion: '' }
type Created = DeepReadonly<KubeObject>

async function createConfigMap(
  name: string,
  owners: readonly OwnerReference[] = [],
  finalizers?: string[],
  namespace = 'a',
): Promise<Created> {
  const created = await cluster.configMaps.create(namespace, {
    metadata: { name, ownerReferences: [...owners], ...(finalizers && { finalizers }) },
  })
  return created.getObject()
}
const createOwnerReference = ({ metadata }: Created, overrides: Partial<OwnerReference> = {}): OwnerReference => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name: metadata.name!,
  uid: metadata.uid!,
  ...overrides,
})
const find = (name: string, namespace = 'a'): Promise<Created | undefined> => cluster.configMaps.get(namespace, name, live)
const isGone = (name: string, namespace = 'a'): Promise<unknown> =>
  waitUntilPasses(async () => expect(await find(name, namespace)).toBeUndefined())

it('deletes an object with its dependents after its last owner is gone', async () => {
  const owner = await createConfigMap('owner')
  const unrelated = await createConfigMap('other')
  start()
  const child = await createConfigMap('child', [createOwnerReference(owner)])
  await createConfigMap('grandchild', [createOwnerReference(child)])
  await createConfigMap('shared', [createOwnerReference(owner), createOwnerReference(unrelated)])
  await cluster.configMaps.delete('a', 'owner')
  await isGone('child')
  await isGone('grandchild')
  await waitUntilPasses(async () => expect((await find('shared'))?.metadata.ownerReferences?.map(({ name }) => name)).toEqual(['other']))
  expect(await find('other')).toBeDefined()
})

it('deletes objects whose owner never existed or has another uid, namespace or name', async () => {
  const owner = await createConfigMap('owner')
  const inOtherNamespace = await createConfigMap('elsewhere', [], undefined, 'b')
  await createConfigMap('before', [createOwnerReference(owner, { uid: 'another-uid' })])
  start()
  await createConfigMap('wrong-name', [createOwnerReference(owner, { name: 'another' })])
  await createConfigMap('wrong-namespace', [createOwnerReference(inOtherNamespace)])
  await createConfigMap('right', [createOwnerReference(owner)])
  for (const name of ['before', 'wrong-name', 'wrong-namespace']) await isGone(name)
  expect(await find('right')).toBeDefined()
})

it('keeps objects whose owner kind is not served', async () => {
  const owner = await createConfigMap('owner')
  start()
  await createConfigMap('unknown', [createOwnerReference(owner, { apiVersion: 'example.com/v1', kind: 'Widget' })])
  await createConfigMap('marker', [createOwnerReference(owner, { uid: 'another-uid' })])
  await isGone('marker')
  expect(await find('unknown')).toBeDefined()
})

it('waits for blocking dependents in a foreground deletion', async () => {
  const owner = await createConfigMap('owner')
  await createConfigMap('blocking', [createOwnerReference(owner, { blockOwnerDeletion: true })], ['example.com/hold'])
  await createConfigMap('not-blocking', [createOwnerReference(owner)])
  start()
  await cluster.configMaps.delete('a', 'owner', { propagationPolicy: 'Foreground' })
  await isGone('not-blocking')
  await waitUntilPasses(async () => expect((await find('blocking'))?.metadata.deletionTimestamp).toBeDefined())
  expect((await find('owner'))?.metadata.finalizers).toEqual(['foregroundDeletion'])
  await cluster.configMaps.update('a', 'blocking', (map) => ({ ...map, metadata: { ...map.metadata, finalizers: [] } }))
  await isGone('blocking')
  await isGone('owner')
})

it('deletes a whole tree bottom-up in a foreground deletion', async () => {
  start()
  const owner = await createConfigMap('owner')
  const child = await createConfigMap('child', [createOwnerReference(owner, { blockOwnerDeletion: true })])
  await createConfigMap('grandchild', [createOwnerReference(child, { blockOwnerDeletion: true })], ['example.com/hold'])
  await cluster.configMaps.delete('a', 'owner', { propagationPolicy: 'Foreground' })
  await waitUntilPasses(async () => expect((await find('grandchild'))?.metadata.deletionTimestamp).toBeDefined())
  expect((await find('child'))?.metadata.finalizers).toEqual(['foregroundDeletion'])
  await cluster.configMaps.update('a', 'grandchild', (map) => ({ ...map, metadata: { ...map.metadata, finalizers: [] } }))
  for (const name of ['grandchild', 'child', 'owner']) await isGone(name)
})

it('releases dependents in an orphaning deletion, including the most recently created one', async () => {
  start()
  const owner = await createConfigMap('owner')
  await createConfigMap('child', [createOwnerReference(owner, { blockOwnerDeletion: true })])
  await Promise.all([
    createConfigMap('late', [createOwnerReference(owner)]),
    cluster.configMaps.delete('a', 'owner', { propagationPolicy: 'Orphan' }),
  ])
  await isGone('owner')
  for (const name of ['child', 'late']) {
    expect((await find(name))?.metadata.ownerReferences ?? []).toEqual([])
    expect((await find(name))?.metadata.deletionTimestamp).toBeUndefined()
  }
})

it('deletes a cycle of owners', async () => {
  start()
  const first = await createConfigMap('first')
  const second = await createConfigMap('second', [createOwnerReference(first, { blockOwnerDeletion: true })])
  await cluster.configMaps.update('a', 'first', (map) => ({
    ...map,
    metadata: { ...map.metadata, ownerReferences: [createOwnerReference(second, { blockOwnerDeletion: true })] },
  }))
  await cluster.configMaps.delete('a', 'first', { propagationPolicy: 'Foreground' })
  await isGone('first')
  await isGone('second')
})

it('does not treat a new object with the name of the old owner as the owner', async () => {
  const owner = await createConfigMap('owner')
  await createConfigMap('child', [createOwnerReference(owner)])
  start()
  await cluster.configMaps.delete('a', 'owner')
  await createConfigMap('owner')
  await isGone('child')
  expect(await find('owner')).toBeDefined()
})

it('keeps a cluster-scoped object with a namespaced owner', async () => {
  const owner = await createConfigMap('owner')
  start()
  await cluster.nodes.create('', { metadata: { name: 'n', ownerReferences: [createOwnerReference(owner)] } })
  await cluster.configMaps.delete('a', 'owner')
  await createConfigMap('marker', [createOwnerReference(owner)])
  await isGone('marker')
  expect(await cluster.nodes.get('', 'n', live)).toBeDefined()
})

it('deletes a large tree completely', async () => {
  const owner = await createConfigMap('owner')
  const children = await Promise.all(Array.from({ length: 20 }, (_, i) => createConfigMap(`child-${i}`, [createOwnerReference(owner)])))
  await Promise.all(
    children.flatMap((child, i) => Array.from({ length: 20 }, (_, j) => createConfigMap(`leaf-${i}-${j}`, [createOwnerReference(child)]))),
  )
  start()
  await cluster.configMaps.delete('a', 'owner')
  await waitUntilPasses(async () => expect((await cluster.configMaps.list({ namespace: 'a', ...live })).items).toEqual([]))
})

it('follows resources that are added and removed, and deletes dependents of owners whose kind was removed', async () => {
  const gv = { group: 'example.com', version: 'v1' }
  const widgets = defineResource({ ...gv, kind: 'Widget', plural: 'widgets', scope: 'Namespaced', strategy: {} })
  const owner = await createConfigMap('owner')
  start()
  const store = openTestStore(widgets, { now: () => clock.now() })
  const remove = cluster.client.add(gv, store.paths)
  const resource = cluster.client.resource({ group: gv.group, resource: 'widgets' })!
  await resource.create('a', { metadata: { name: 'w', ownerReferences: [createOwnerReference(owner)] } })
  const parent = (await resource.create('a', { metadata: { name: 'parent' } })).getObject()
  const child = createOwnerReference(parent, { apiVersion: 'example.com/v1', kind: 'Widget' })
  await createConfigMap('child', [child])
  await cluster.configMaps.delete('a', 'owner')
  await waitUntilPasses(async () => expect(await resource.get('a', 'w', live)).toBeUndefined())
  expect(await find('child')).toBeDefined()

  // The collector sees the deletion, but looks the owner up only after its kind is gone.
  await resource.delete('a', 'parent')
  remove()
  await isGone('child')
  await store[Symbol.asyncDispose]()
})

it('deletes dependents of an owner that was created and deleted before the watch of its resource began', async () => {
  const gv = { group: 'example.com', version: 'v1' }
  const widgets = defineResource({ ...gv, kind: 'Widget', plural: 'widgets', scope: 'Namespaced', strategy: {} })
  const store = openTestStore(widgets, { now: () => clock.now() })
  let endWait = (): void => {}
  Object.assign(store.paths.get('widgets')!, {
    waitForFirstObject({ onEmpty }: FirstObjectOptions) {
      onEmpty()
      return new Promise<void>((resolve) => (endWait = resolve))
    },
  })
  const remove = cluster.client.add(gv, store.paths)
  start()
  const resource = cluster.client.resource({ group: gv.group, resource: 'widgets' })!
  const parent = (await resource.create('a', { metadata: { name: 'parent' } })).getObject()
  await createConfigMap('child', [createOwnerReference(parent, { apiVersion: 'example.com/v1', kind: 'Widget' })])
  await createConfigMap('stray', [createOwnerReference(parent, { uid: 'gone' })])
  await isGone('stray')
  // The collector has looked up the owner of the first object by now, because both have been in its queue.
  expect(await find('child')).toBeDefined()
  await resource.delete('a', 'parent')
  endWait()
  await isGone('child')
  remove()
  await store[Symbol.asyncDispose]()
})
