import { newForbidden } from '@keelson/apimachinery'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { AdmissionAttributes } from '../admission.ts'
import { openTestCluster, write } from '../plugin.fixture.ts'
import type { TestCluster } from '../plugin.fixture.ts'
import { createNamespaceAutoProvisionPlugin } from './index.ts'

let cluster: TestCluster
beforeEach(() => {
  cluster = openTestCluster(['namespaces', 'configmaps'])
})
afterEach(() => cluster[Symbol.asyncDispose]())

const admit = async (overrides: Partial<AdmissionAttributes> = {}): Promise<void> =>
  createNamespaceAutoProvisionPlugin(cluster).admit!(write('configmaps', { metadata: { name: 'a' } }, overrides))
const exists = async (name: string): Promise<boolean> =>
  (await cluster.resource('namespaces').get('', name, { resourceVersion: '' })) !== undefined

it('creates the namespace of a new object', async () => {
  await admit()
  expect(await exists('ns')).toBe(true)
  await admit()
})

it('creates nothing for dry runs, for namespaces and for objects without a namespace', async () => {
  await admit({ dryRun: true })
  await admit({ namespace: '' })
  await admit({ kind: { group: '', version: 'v1', kind: 'Namespace' } })
  expect(await exists('ns')).toBe(false)
})

it('sends no write if the informer has the namespace', async () => {
  await admit()
  const create = vi.spyOn(cluster.resource('namespaces'), 'create')
  await vi.waitFor(
    async () => {
      create.mockClear()
      await admit()
      expect(create).not.toHaveBeenCalled()
    },
    { timeout: 60_000 },
  )
})

it('rejects the write if the namespace cannot be created', async () => {
  vi.spyOn(cluster.resource('namespaces'), 'create').mockRejectedValue(newForbidden({ group: '', resource: 'namespaces' }, 'ns', 'no'))
  await expect(admit()).rejects.toMatchObject({
    code: 403,
    message: 'configmaps "a" is forbidden: namespaces "ns" is forbidden: no',
  })
})

it('admits everything on a server without namespaces', async () => {
  cluster.remove('namespaces')
  await admit()
})
