import type { OwnerReference } from '@keelson/apimachinery'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { admitObject, openTestCluster, update, write } from '../plugin.fixture.ts'
import type { TestCluster } from '../plugin.fixture.ts'
import { createOwnerReferencesPermissionEnforcementPlugin } from './index.ts'

let cluster: TestCluster
beforeEach(() => {
  cluster = openTestCluster(['pods', 'deployments', 'nodes'])
})
afterEach(() => cluster[Symbol.asyncDispose]())

const createOwner = (blockOwnerDeletion?: boolean, kind = 'Deployment', apiVersion = 'apps/v1'): OwnerReference => ({
  apiVersion,
  kind,
  name: 'o',
  uid: 'u',
  ...(blockOwnerDeletion !== undefined && { blockOwnerDeletion }),
})
const createPod = (...ownerReferences: OwnerReference[]) => ({ metadata: { name: 'p', ownerReferences } })
const create = (...owners: OwnerReference[]) =>
  admitObject(createOwnerReferencesPermissionEnforcementPlugin(cluster), write('pods', createPod(...owners)))
const change = (from: OwnerReference[], to: OwnerReference[], subresource = '') =>
  admitObject(
    createOwnerReferencesPermissionEnforcementPlugin(cluster),
    update('pods', createPod(...from), createPod(...to), { subresource }),
  )

it('requires permission to delete the object for a change of its owners', async () => {
  await create(createOwner())
  await change([createOwner()], [createOwner()])
  await change([], [createOwner()], 'status')
  await expect(change([], [createOwner()])).rejects.toMatchObject({
    code: 403,
    message: 'pods "p" is forbidden: cannot set an ownerRef on a resource you can\'t delete: not listed, <nil>',
  })
  cluster.allowed.add('delete pods p in ns')
  await change([], [createOwner()])
})

it('requires permission to update finalizers of an owner whose deletion becomes blocked', async () => {
  const refusal = {
    code: 403,
    message:
      'pods "p" is forbidden: cannot set blockOwnerDeletion if an ownerReference refers to a resource you can\'t set finalizers on: not listed, <nil>',
  }
  cluster.allowed.add('delete pods p in ns')
  await expect(create(createOwner(true))).rejects.toMatchObject(refusal)
  await expect(change([createOwner(false)], [createOwner(true)])).rejects.toMatchObject(refusal)
  await change([createOwner(true)], [createOwner(true), { ...createOwner(), uid: 'v' }])
  cluster.allowed.add('update apps/deployments/finalizers o in ns')
  await create(createOwner(true))
  await expect(create(createOwner(true, 'Node', 'v1'))).rejects.toMatchObject(refusal)
  cluster.allowed.add('update nodes/finalizers o')
  await create(createOwner(true, 'Node', 'v1'))
})

it('rejects blocking owners of unknown kinds, unless the user may update finalizers of all resources', async () => {
  await expect(create(createOwner(true, 'Widget', 'example.com/v1'))).rejects.toThrow(
    'cannot find RESTMapping for APIVersion example.com/v1 Kind Widget: no matches for kind "Widget" in version "example.com/v1"',
  )
  cluster.allowed.add('update */*/finalizers *')
  await create(createOwner(true, 'Widget', 'example.com/v1'))
})
