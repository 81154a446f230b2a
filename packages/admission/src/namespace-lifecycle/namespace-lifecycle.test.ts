import type { KubeObject } from '@keelson/apimachinery'
import { createLoopbackClient } from '@keelson/loopback'
import type { LoopbackClientBuilder, LoopbackResource } from '@keelson/loopback'
import { defineResource } from '@keelson/registry'
import { openTestStore, testContext } from '@keelson/registry/testing'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { AdmissionAttributes, AdmissionOperation } from '../admission.ts'
import { namespaceLifecycle } from './index.ts'

interface Namespace extends KubeObject {
  status?: { phase: string }
}
const definition = defineResource<Namespace>({
  group: '',
  version: 'v1',
  kind: 'Namespace',
  plural: 'namespaces',
  scope: 'Cluster',
  strategy: {},
})
let client: LoopbackClientBuilder
let namespaces: LoopbackResource<Namespace>
let plugin: ReturnType<typeof namespaceLifecycle>
let close: () => PromiseLike<void>
let now: number
beforeEach(async () => {
  now = 0
  const test = openTestStore(definition)
  client = createLoopbackClient()
  client.add(definition, test.paths)
  namespaces = client.resource<Namespace>({ group: '', resource: 'namespaces' })!
  await namespaces.create('', { metadata: { name: 'there' }, status: { phase: 'Active' } })
  await namespaces.create('', { metadata: { name: 'going' }, status: { phase: 'Terminating' } })
  plugin = namespaceLifecycle({ client, clock: { now: () => now, after: () => () => {} } })
  close = () => test[Symbol.asyncDispose]()
})
afterEach(async () => {
  await plugin[Symbol.asyncDispose]()
  await close()
})

const write = (operation: AdmissionOperation, namespace: string, more: Partial<AdmissionAttributes> = {}): AdmissionAttributes => ({
  context: testContext(namespace),
  operation,
  kind: { group: '', version: 'v1', kind: 'ConfigMap' },
  resource: { group: '', version: 'v1', resource: 'configmaps' },
  subresource: '',
  namespace,
  name: '',
  object: { metadata: { name: 'a' } },
  oldObject: undefined,
  dryRun: false,
  ...more,
})
const admit = async (...args: Parameters<typeof write>): Promise<void> => plugin.admit!(write(...args))
const ofNamespace = (name: string): Partial<AdmissionAttributes> => ({
  kind: { group: '', version: 'v1', kind: 'Namespace' },
  resource: { group: '', version: 'v1', resource: 'namespaces' },
  name,
})

it('lets writes into a namespace that is there', async () => {
  await admit('CREATE', 'there')
  await admit('UPDATE', 'going')
  await admit('DELETE', 'nowhere')
  await admit('CREATE', '')
})

it('refuses writes into one that is not', async () => {
  const failure = { code: 404, message: 'namespaces "nowhere" not found', details: { name: 'nowhere', kind: 'namespaces' } }
  await expect(admit('CREATE', 'nowhere')).rejects.toMatchObject(failure)
  await expect(admit('UPDATE', 'nowhere')).rejects.toMatchObject(failure)
})

it('refuses creates in one that goes, and says so in a cause', async () => {
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

it('looks again before the write', async () => {
  await plugin.validate!(write('CREATE', 'there'))
  await expect(plugin.validate!(write('CREATE', 'going'))).rejects.toMatchObject({ code: 403 })
})

it.each(['default', 'kube-system', 'kube-public'])('keeps %s', async (name) => {
  await expect(admit('DELETE', name, ofNamespace(name))).rejects.toMatchObject({
    code: 403,
    message: `namespaces "${name}" is forbidden: this namespace may not be deleted`,
  })
})

it('finds a namespace that was made a moment ago', async () => {
  await admit('CREATE', 'there')
  await namespaces.create('', { metadata: { name: 'new' }, status: { phase: 'Active' } })
  await admit('CREATE', 'new')
})

it('reads one that was deleted from the store, until its copy can be believed', async () => {
  const get = vi.spyOn(namespaces, 'get')
  await vi.waitFor(async () => {
    get.mockClear()
    await admit('CREATE', 'there')
    expect(get).not.toHaveBeenCalled()
  })
  await admit('DELETE', '', ofNamespace('there'))
  await admit('CREATE', 'there')
  expect(get).toHaveBeenCalledTimes(1)
  now = 30_001
  await admit('CREATE', 'there')
  expect(get).toHaveBeenCalledTimes(1)
})

it('tells nobody by an access review whether a namespace is there', async () => {
  await admit('CREATE', 'nowhere', {
    kind: { group: 'authorization.k8s.io', version: 'v1', kind: 'LocalSubjectAccessReview' },
    resource: { group: 'authorization.k8s.io', version: 'v1', resource: 'localsubjectaccessreviews' },
  })
})

it('a server without namespaces has nothing to refuse', async () => {
  client.remove({ group: '', resource: 'namespaces' })
  await admit('CREATE', 'nowhere')
})
