import { afterEach, beforeEach, expect, it } from 'vitest'
import type { AdmissionAttributes } from '../admission.ts'
import { openTestCluster, write } from '../plugin.fixture.ts'
import type { TestCluster } from '../plugin.fixture.ts'
import { createNamespaceExistsPlugin } from './index.ts'

let cluster: TestCluster
beforeEach(async () => {
  cluster = openTestCluster(['namespaces', 'configmaps'])
  await cluster.create('namespaces', { metadata: { name: 'there' } })
})
afterEach(() => cluster[Symbol.asyncDispose]())

const validate = async (namespace: string, overrides: Partial<AdmissionAttributes> = {}): Promise<void> =>
  createNamespaceExistsPlugin(cluster).validate!(write('configmaps', { metadata: { name: 'a' } }, { namespace, ...overrides }))

it.each(['CREATE', 'UPDATE', 'DELETE'] as const)('rejects %s in a missing namespace', async (operation) => {
  await validate('there', { operation })
  await expect(validate('nowhere', { operation })).rejects.toMatchObject({ code: 404, message: 'namespaces "nowhere" not found' })
})

it('admits namespaces and objects without a namespace', async () => {
  await validate('')
  await validate('nowhere', { kind: { group: '', version: 'v1', kind: 'Namespace' } })
})

it('admits everything on a server without namespaces', async () => {
  cluster.remove('namespaces')
  await validate('nowhere')
})
