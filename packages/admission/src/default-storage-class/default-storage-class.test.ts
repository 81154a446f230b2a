import type { PersistentVolumeClaim } from '@keelson/api/core/v1'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { admitObject, openTestCluster, write } from '../plugin.fixture.ts'
import type { TestCluster } from '../plugin.fixture.ts'
import { defaultStorageClass } from './index.ts'

let cluster: TestCluster
beforeEach(() => {
  cluster = openTestCluster(['persistentvolumeclaims', 'storageclasses'])
})
afterEach(() => {
  vi.useRealTimers()
  return cluster[Symbol.asyncDispose]()
})

const createStorageClass = (name: string, isDefault: boolean, time = '2026-01-01T00:00:00Z'): Promise<void> => {
  vi.useFakeTimers({ now: Date.parse(time), toFake: ['Date'] })
  const annotations = isDefault ? { 'storageclass.kubernetes.io/is-default-class': 'true' } : {}
  return cluster.create('storageclasses', { metadata: { name, annotations } })
}
const admit = async (claim: Partial<PersistentVolumeClaim> = {}): Promise<string | undefined> => {
  const plugin = defaultStorageClass(cluster)
  const created: PersistentVolumeClaim = { metadata: { name: 'd' }, spec: {}, ...claim }
  return (await admitObject<PersistentVolumeClaim>(plugin, write('persistentvolumeclaims', created))).spec!.storageClassName
}

it('sets the newest default class on claims without a class', async () => {
  await createStorageClass('plain', false)
  expect(await admit()).toBeUndefined()
  await createStorageClass('old', true, '2026-01-01T00:00:00Z')
  await createStorageClass('b', true, '2026-01-02T00:00:00Z')
  await createStorageClass('a', true, '2026-01-02T00:00:00Z')
  await vi.waitFor(async () => expect(await admit()).toBe('a'), { timeout: 60_000 })
})

it('treats an empty class name as set', async () => {
  await createStorageClass('a', true)
  expect(await admit({ spec: { storageClassName: '' } })).toBe('')
  const annotations = { 'volume.beta.kubernetes.io/storage-class': 'b' }
  expect(await admit({ metadata: { name: 'd', annotations } })).toBeUndefined()
  expect(await admit()).toBe('a')
})
