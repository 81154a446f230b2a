import type { Container, Pod, ServiceAccount } from '@keelson/api/core/v1'
import { createManualClock } from '@keelson/apimachinery/testing'
import type { ManualClock } from '@keelson/apimachinery/testing'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { AdmissionPlugin } from '../admission.ts'
import { admitObject, openTestCluster, update, write } from '../plugin.fixture.ts'
import type { TestCluster } from '../plugin.fixture.ts'
import { createServiceAccountPlugin } from './index.ts'

let cluster: TestCluster
let clock: ManualClock
let plugin: AdmissionPlugin
beforeEach(() => {
  cluster = openTestCluster(['pods', 'serviceaccounts'])
  clock = createManualClock()
  plugin = createServiceAccountPlugin({ ...cluster, clock, random: () => 0 })
})
afterEach(() => cluster[Symbol.asyncDispose]())

const createContainer = (overrides: Partial<Container> = {}): Container => ({ name: 'c', image: 'i', ...overrides })
const createPod = (spec: Partial<Pod['spec']> = {}, annotations?: Record<string, string>): Pod => ({
  metadata: { name: 'p', ...(annotations && { annotations }) },
  spec: { containers: [createContainer()], ...spec },
})
const storeAccount = (overrides: Partial<ServiceAccount> = {}, annotations?: Record<string, string>): Promise<void> =>
  cluster.create('serviceaccounts', { ...overrides, metadata: { name: 'default', ...(annotations && { annotations }) } })
const admit = async (object: Pod): Promise<NonNullable<Pod['spec']>> => (await admitObject<Pod>(plugin, write('pods', object))).spec!
const expectRefusal = (object: Pod) => expect(admit(object)).rejects
const tokenMount = { name: 'kube-api-access-bbbbb', readOnly: true, mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' }

it('gives a pod the default account and mounts its token in every container', async () => {
  await storeAccount()
  const spec = await admit(createPod({ initContainers: [createContainer({ name: 'i' })] }))
  expect(spec.serviceAccountName).toBe('default')
  expect([...spec.containers!, ...spec.initContainers!].map(({ volumeMounts }) => volumeMounts)).toEqual([[tokenMount], [tokenMount]])
  expect(spec.volumes).toEqual([
    {
      name: 'kube-api-access-bbbbb',
      projected: {
        sources: [
          { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
          { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
          { downwardAPI: { items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }] } },
        ],
        defaultMode: 420,
      },
    },
  ])
  expect(spec).not.toHaveProperty('imagePullSecrets')
})

it('keeps existing mounts and volumes', async () => {
  await storeAccount()
  const volumeMounts = [{ name: 'mine', mountPath: tokenMount.mountPath }]
  expect(await admit(createPod({ containers: [createContainer({ volumeMounts: [...volumeMounts] })] }))).toEqual({
    containers: [createContainer({ volumeMounts: volumeMounts })],
    serviceAccountName: 'default',
  })
  const volumes = [{ name: 'kube-api-access-old', emptyDir: {} }]
  const spec = await admit(createPod({ volumes: [...volumes] }))
  expect(spec.volumes).toEqual(volumes)
  expect(spec.containers![0]!.volumeMounts).toEqual([{ ...tokenMount, name: 'kube-api-access-old' }])
})

it("prefers the pod's automount setting to the account's", async () => {
  await storeAccount({ automountServiceAccountToken: false })
  expect(await admit(createPod())).not.toHaveProperty('volumes')
  expect(await admit(createPod({ automountServiceAccountToken: true }))).toHaveProperty('volumes')
})

it("adds the account's pull secrets to a pod without any", async () => {
  await storeAccount({ imagePullSecrets: [{ name: 'registry' }] })
  expect((await admit(createPod())).imagePullSecrets).toEqual([{ name: 'registry' }])
  expect((await admit(createPod({ imagePullSecrets: [{ name: 'own' }] }))).imagePullSecrets).toEqual([{ name: 'own' }])
})

it('refuses a missing account, and waits for the default one', async () => {
  await expectRefusal(createPod({ serviceAccountName: 'none' })).toMatchObject({
    code: 403,
    message: 'pods "p" is forbidden: error looking up service account ns/none: serviceaccount "none" not found',
  })
  const late = admit(createPod())
  await clock.pass(250)
  await storeAccount()
  await clock.pass(200)
  expect((await late).serviceAccountName).toBe('default')
})

it('stops looking for the default account after ten attempts', async () => {
  const get = vi.spyOn(cluster.resource('serviceaccounts'), 'get')
  const waiting = expect(admit(createPod())).rejects.toMatchObject({
    message: expect.stringContaining('serviceaccount "default" not found'),
  })
  await clock.pass(1000)
  await waiting
  expect(get).toHaveBeenCalledTimes(10)
})

it('returns synchronously if the informer has the account', async () => {
  await storeAccount()
  await cluster.informers.of({ group: '', resource: 'serviceaccounts' })!.synced
  expect(plugin.admit!(write('pods', createPod()))).toBeUndefined()
})

it('admits pods if accounts are not served', async () => {
  cluster.remove('serviceaccounts')
  expect(await admit(createPod())).toMatchObject({ serviceAccountName: 'default' })
})

it('handles only creates and new ephemeral containers', async () => {
  const old = createPod()
  const changed = createPod()
  await admitObject(plugin, update('pods', old, changed))
  expect(changed).toEqual(old)
  await admitObject(plugin, write('pods', createPod(), { subresource: 'binding' }))
  await admitObject(plugin, write('configmaps', { metadata: { name: 'a' } }))
})

const mirror = { 'kubernetes.io/config.mirror': 'x' }
it.each([
  [{ serviceAccountName: 'a' }, 'a mirror pod may not reference service accounts'],
  [{ imagePullSecrets: [{ name: 's' }] }, 'a mirror pod may not reference secrets'],
  [{ volumes: [{ name: 'v', secret: { secretName: 's' } }] }, 'a mirror pod may not reference secrets'],
  [{ containers: [createContainer({ envFrom: [{ secretRef: { name: 's' } }] })] }, 'a mirror pod may not reference secrets'],
  [
    { volumes: [{ name: 'v', projected: { sources: [{ serviceAccountToken: { path: 't' } }] } }] },
    'a mirror pod may not use ServiceAccountToken volume projections',
  ],
] as [Partial<Pod['spec']>, string][])('refuses a mirror pod with an account or secrets: %j', async (spec, message) => {
  await expectRefusal(createPod(spec, mirror)).toMatchObject({ code: 403, message: `pods "p" is forbidden: ${message}` })
  expect(await admit(createPod({}, mirror))).toEqual(createPod().spec)
})

it.each([
  [
    { volumes: [{ name: 'v', secret: { secretName: 's' } }] },
    'volume with secret.secretName="s" is not allowed because service account default does not reference that secret',
  ],
  [
    { initContainers: [createContainer({ env: [{ name: 'E', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } }] })] },
    'init container c with envVar E referencing secret.secretName="s" is not allowed because service account default does not reference that secret',
  ],
  [
    { containers: [createContainer({ envFrom: [{ secretRef: { name: 's' } }] })] },
    'container c with envFrom referencing secret.secretName="s" is not allowed because service account default does not reference that secret',
  ],
  [
    { imagePullSecrets: [{ name: 'known' }] },
    'imagePullSecrets[0].name="known" is not allowed because service account default does not reference that imagePullSecret',
  ],
] as [Partial<Pod['spec']>, string][])('refuses secrets that the account does not list: %j', async (spec, message) => {
  await storeAccount({ secrets: [{ name: 'known' }] }, { 'kubernetes.io/enforce-mountable-secrets': 'true' })
  await expectRefusal(createPod(spec)).toMatchObject({ code: 403, message: `pods "p" is forbidden: ${message}` })
  await admit(createPod({ volumes: [{ name: 'v', secret: { secretName: 'known' } }] }))
})

it('refuses secrets of ephemeral containers too', async () => {
  await storeAccount({}, { 'kubernetes.io/enforce-mountable-secrets': 'true' })
  const added = createPod({
    serviceAccountName: 'default',
    ephemeralContainers: [{ name: 'e', env: [{ name: 'E', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } }] }],
  })
  await expect(admitObject(plugin, update('pods', createPod(), added, { subresource: 'ephemeralcontainers' }))).rejects.toMatchObject({
    message:
      'ephemeral container e with envVar E referencing secret.secretName="s" is not allowed because service account default does not reference that secret',
  })
})
