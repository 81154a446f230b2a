import type { Namespace } from '@keelson/api/core/v1'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from '../admission.ts'
import { openTestCluster, write } from '../plugin.fixture.ts'
import type { TestCluster } from '../plugin.fixture.ts'
import { createNamespaceLifecyclePlugin } from './index.ts'

let cluster: TestCluster
let plugin: AdmissionPlugin
let now: number
beforeEach(async () => {
  now = 0
  cluster = openTestCluster(['namespaces'])
  await cluster.create('namespaces', createNamespace('there', 'Active'))
  await cluster.create('namespaces', createNamespace('going', 'Terminating'))
  plugin = createNamespaceLifecyclePlugin({ ...cluster, clock: { now: () => now, after: () => () => {} } })
})
afterEach(() => cluster[Symbol.asyncDispose]())

const createNamespace = (name: string, phase: string): Namespace => ({ metadata: { name }, status: { phase } })
const writeIn = (operation: AdmissionOperation, target: string, overrides: Partial<AdmissionAttributes> = {}): AdmissionAttributes =>
  write('configmaps', { metadata: { name: 'a' } }, { operation, namespace: target, name: '', ...overrides })
const admit = async (...args: Parameters<typeof writeIn>): Promise<void> => plugin.admit!(writeIn(...args))
const createNamespaceWrite = (name: string): Partial<AdmissionAttributes> => ({
  kind: { group: '', version: 'v1', kind: 'Namespace' },
  resource: { group: '', version: 'v1', resource: 'namespaces' },
  name,
})

it('admits writes into an existing namespace', async () => {
  await admit('CREATE', 'there')
  await admit('UPDATE', 'going')
  await admit('DELETE', 'nowhere')
  await admit('CREATE', '')
})

it('refuses writes into a missing namespace', async () => {
  const failure = { code: 404, message: 'namespaces "nowhere" not found', details: { name: 'nowhere', kind: 'namespaces' } }
  await expect(admit('CREATE', 'nowhere')).rejects.toMatchObject(failure)
  await expect(admit('UPDATE', 'nowhere')).rejects.toMatchObject(failure)
})

it('refuses creates in a terminating namespace, with a cause', async () => {
  await expect(admit('CREATE', 'going')).rejects.toMatchObject({
    code: 403,
    message: 'configmaps "a" is forbidden: unable to create new content in namespace going because it is being terminated',
    details: { causes: [{ reason: 'NamespaceTerminating', message: 'namespace going is being terminated', field: 'metadata.namespace' }] },
  })
  const generated = { object: { metadata: { generateName: 'g-' } } }
  await expect(admit('CREATE', 'going', generated)).rejects.toMatchObject({
    message: expect.stringContaining('configmaps "g-" is forbidden'),
  })
})

it('checks again before the write', async () => {
  const validate = async (target: string): Promise<void> => plugin.validate!(writeIn('CREATE', target))
  await validate('there')
  await expect(validate('going')).rejects.toMatchObject({ code: 403 })
})

it.each(['default', 'kube-system', 'kube-public'])('protects %s from deletion', async (name) => {
  await expect(admit('DELETE', name, createNamespaceWrite(name))).rejects.toMatchObject({
    code: 403,
    message: `namespaces "${name}" is forbidden: this namespace may not be deleted`,
  })
})

it('finds a namespace that the informer does not have yet', async () => {
  await admit('CREATE', 'there')
  await cluster.create('namespaces', createNamespace('new', 'Active'))
  await admit('CREATE', 'new')
})

it('reads a recently deleted namespace from the store until the informer catches up', async () => {
  const get = vi.spyOn(cluster.resource('namespaces'), 'get')
  await vi.waitFor(
    async () => {
      get.mockClear()
      await admit('CREATE', 'there')
      expect(get).not.toHaveBeenCalled()
    },
    { timeout: 60_000 },
  )
  await admit('DELETE', '', createNamespaceWrite('there'))
  await admit('CREATE', 'there')
  expect(get).toHaveBeenCalledTimes(1)
  now = 30_001
  await admit('CREATE', 'there')
  expect(get).toHaveBeenCalledTimes(1)
})

it('access reviews do not reveal whether a namespace exists', async () => {
  await admit('CREATE', 'nowhere', {
    kind: { group: 'authorization.k8s.io', version: 'v1', kind: 'LocalSubjectAccessReview' },
    resource: { group: 'authorization.k8s.io', version: 'v1', resource: 'localsubjectaccessreviews' },
  })
})

it('admits everything on a server without namespaces', async () => {
  cluster.remove('namespaces')
  await admit('CREATE', 'nowhere')
})
