import type { PersistentVolumeClaim } from '@keelson/api/core/v1'
import type { StorageClass } from '@keelson/api/storage/v1'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { admitObject, openTestCluster, update } from '../plugin.fixture.ts'
import type { TestCluster } from '../plugin.fixture.ts'
import { createPersistentVolumeClaimResizePlugin } from './index.ts'

let cluster: TestCluster
beforeEach(async () => {
  cluster = openTestCluster(['persistentvolumeclaims', 'storageclasses'])
  const create = (name: string, overrides: Partial<StorageClass>) => cluster.create('storageclasses', { metadata: { name }, ...overrides })
  await create('elastic', { allowVolumeExpansion: true })
  await create('rigid', {})
})
afterEach(() => cluster[Symbol.asyncDispose]())

const claim = (storage: string, storageClassName = 'elastic', phase = 'Bound'): PersistentVolumeClaim => ({
  metadata: { name: 'd' },
  spec: { storageClassName, resources: { requests: { storage } } },
  status: { phase },
})
const resize = (from: PersistentVolumeClaim, to: PersistentVolumeClaim) =>
  admitObject(createPersistentVolumeClaimResizePlugin(cluster), update('persistentvolumeclaims', from, to))

it('lets a bound claim grow if its class allows it', async () => {
  await resize(claim('1Gi'), claim('2Gi'))
  await resize(claim('2Gi', 'rigid', 'Pending'), claim('1Gi', 'rigid', 'Pending'))
})

it.each([
  [claim('1Gi', 'elastic', 'Pending'), claim('2Gi'), 'Only bound persistent volume claims can be expanded'],
  [claim('1Gi', 'rigid'), claim('2Gi', 'rigid'), 'only dynamically provisioned pvc can be resized'],
  [claim('1Gi', 'none'), claim('2Gi', 'none'), 'the storageclass that provisions the pvc must support resize'],
  [claim('1Gi', ''), claim('2Gi', ''), 'only dynamically provisioned'],
  [claim('1Gi', 'rigid'), claim('2Gi', 'elastic'), 'only dynamically provisioned'],
])('refuses to grow other claims: %#', async (from, to, message) => {
  await expect(resize(from, to)).rejects.toMatchObject({ code: 403, message: expect.stringContaining(message) })
})
