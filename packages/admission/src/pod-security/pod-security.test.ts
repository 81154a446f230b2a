import type { Namespace, Pod, PodSpec } from '@keelson/api/core/v1'
import type { KubeObject } from '@keelson/apimachinery'
import { createManualClock } from '@keelson/apimachinery/testing'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.ts'
import { admitObject, openTestCluster, update, write } from '../plugin.fixture.ts'
import type { TestCluster, TestWrite } from '../plugin.fixture.ts'
import { createPodSecurityPlugin } from './index.ts'

let cluster: TestCluster
let plugin: AdmissionPlugin
beforeEach(() => {
  cluster = openTestCluster(['namespaces', 'pods', 'deployments', 'cronjobs'])
  plugin = createPodSecurityPlugin(cluster)
})
afterEach(() => cluster[Symbol.asyncDispose]())

const prefix = 'pod-security.kubernetes.io/'
const createNamespace = (labels: Record<string, string>, name = 'ns'): Namespace => ({
  metadata: { name, labels: Object.fromEntries(Object.entries(labels).map(([key, value]) => [prefix + key, value])) },
})
const storeNamespace = (labels: Record<string, string>): Promise<void> => cluster.create('namespaces', createNamespace(labels))
const hostile: PodSpec = { containers: [{ name: 'c', image: 'i' }], hostNetwork: true }
const createPod = (spec: PodSpec = hostile, name = 'p'): Pod => ({ metadata: { name }, spec })
const violation = 'host namespaces (hostNetwork=true)'
const validateWrite = async (attributes: TestWrite, by = plugin): Promise<readonly string[]> => {
  await admitObject(by, attributes)
  return attributes.warnings
}

it('refuses a pod that violates the enforced level and warns about the warn level', async () => {
  await storeNamespace({ enforce: 'privileged', warn: 'baseline', 'warn-version': 'v1.30' })
  expect(await validateWrite(write('pods', createPod()))).toEqual([`would violate PodSecurity "baseline:v1.30": ${violation}`])
  await cluster.resource<Namespace>('namespaces').update('', 'ns', () => createNamespace({ enforce: 'baseline' }))
  await cluster.informers.of({ group: '', resource: 'namespaces' })!.synced
  await expect
    .poll(() => validateWrite(write('pods', createPod())).catch((error: unknown) => error))
    .toMatchObject({
      code: 403,
      message: `pods "p" is forbidden: violates PodSecurity "baseline:latest": ${violation}`,
      status: { details: { name: 'p', kind: 'pods' } },
    })
})

it('evaluates changed images and added containers of a running pod only', async () => {
  await storeNamespace({ enforce: 'baseline' })
  const old = createPod()
  await validateWrite(update('pods', old, { ...createPod(), metadata: { name: 'p', labels: { a: 'b' } } }))
  await validateWrite(update('pods', old, createPod(), { subresource: 'status' }))
  const otherImage = createPod({ ...hostile, containers: [{ name: 'c', image: 'j' }] })
  await expect(validateWrite(update('pods', old, otherImage))).rejects.toThrow(violation)
  const debugged = createPod({ ...hostile, ephemeralContainers: [{ name: 'd', image: 'i' }] })
  await expect(validateWrite(update('pods', old, debugged, { subresource: 'ephemeralcontainers' }))).rejects.toThrow(violation)
  await validateWrite(update('pods', debugged, structuredClone(debugged)))
})

it('only warns about pod templates', async () => {
  await storeNamespace({ enforce: 'restricted', warn: 'baseline' })
  const warning = [`would violate PodSecurity "baseline:latest": ${violation}`]
  const template = { spec: hostile }
  expect(await validateWrite(write('deployments', { metadata: { name: 'd' }, spec: { template } } as KubeObject))).toEqual(warning)
  expect(
    await validateWrite(write('cronjobs', { metadata: { name: 'd' }, spec: { jobTemplate: { spec: { template } } } } as KubeObject)),
  ).toEqual(warning)
  expect(await validateWrite(write('deployments', { metadata: { name: 'd' } }))).toEqual([])
  expect(
    await validateWrite(write('deployments', { metadata: { name: 'd' }, spec: { template } } as KubeObject, { subresource: 'scale' })),
  ).toEqual([])
})

it('annotates the audit event if there is one', async () => {
  await storeNamespace({ audit: 'baseline' })
  const notes: Record<string, string> = {}
  const annotate: AdmissionAttributes['annotate'] = (key, value) => void (notes[key.slice(prefix.length)] = value)
  await validateWrite(write('pods', createPod(), { annotate }))
  expect(notes).toEqual({
    'enforce-policy': 'privileged:latest',
    'audit-violations': `would violate PodSecurity "baseline:latest": ${violation}`,
  })
})

it('refuses a pod in an unknown namespace, but admits a deployment', async () => {
  await expect(validateWrite(write('pods', createPod()))).rejects.toMatchObject({
    code: 500,
    message: 'Internal error occurred: failed to lookup namespace "ns"',
  })
  await validateWrite(write('deployments', { metadata: { name: 'd' } }))
})

it('enforces the strictest level if labels are invalid', async () => {
  await storeNamespace({ enforce: 'bogus' })
  await expect(validateWrite(write('pods', createPod()))).rejects.toThrow('violates PodSecurity "restricted:latest"')
})

it('refuses invalid labels once', async () => {
  const wrong = createNamespace({ enforce: 'bogus', 'warn-version': '1.2' })
  await expect(validateWrite(write('namespaces', wrong))).rejects.toMatchObject({
    code: 422,
    message:
      'Namespace "ns" is invalid: [metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value: "bogus": must be one of privileged, baseline, restricted, ' +
      'metadata.labels[pod-security.kubernetes.io/warn-version]: Invalid value: "1.2": must be "latest" or "v1.x"]',
  })
  await expect(validateWrite(update('namespaces', createNamespace({}), wrong))).rejects.toMatchObject({ code: 422 })
  await validateWrite(update('namespaces', wrong, structuredClone(wrong)))
})

it('warns about existing pods that violate a stricter label', async () => {
  await cluster.create('pods', createPod(hostile, 'b'))
  await cluster.create('pods', createPod(hostile, 'a'))
  await cluster.create('pods', createPod({ containers: [{ name: 'c', securityContext: { privileged: true } }] }, 'z'))
  await cluster.create('pods', createPod({ containers: [{ name: 'c' }] }, 'good'))
  const change = (from: Record<string, string>, to: Record<string, string>) =>
    validateWrite(update('namespaces', createNamespace(from), createNamespace(to)))
  expect(await change({}, { enforce: 'baseline' })).toEqual([
    'existing pods in namespace "ns" violate the new PodSecurity enforce level "baseline:latest"',
    'a (and 1 other pod): host namespaces',
    'z: privileged',
  ])
  expect(await change({ enforce: 'restricted' }, { enforce: 'baseline' })).toEqual([])
  expect(await change({ enforce: 'baseline' }, { enforce: 'baseline', warn: 'restricted' })).toEqual([])
  expect(await change({ enforce: 'baseline' }, { enforce: 'privileged' })).toEqual([])
})

it('stops evaluating existing pods after one second', async () => {
  const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'r', uid: 'u', controller: true }
  for (const name of ['a', 'b']) await cluster.create('pods', { ...createPod(hostile, name), metadata: { name, ownerReferences: [owner] } })
  await cluster.create('pods', createPod(hostile, 'single'))
  const clock = createManualClock()
  const slow = { ...clock, now: () => (clock.advance(600), clock.now()) }
  const warnings = await validateWrite(
    update('namespaces', createNamespace({}), createNamespace({ enforce: 'baseline' })),
    createPodSecurityPlugin({ ...cluster, clock: slow }),
  )
  expect(warnings).toEqual([
    'new PodSecurity enforce level only checked against the first 2 of 3 existing pods',
    'existing pods in namespace "ns" violate the new PodSecurity enforce level "baseline:latest"',
    'a (and 1 other pod): host namespaces',
  ])
})

const createConfiguration = (overrides: object): object => ({
  apiVersion: 'pod-security.admission.config.k8s.io/v1',
  kind: 'PodSecurityConfiguration',
  ...overrides,
})

it('applies defaults and exemptions of its configuration', async () => {
  await storeNamespace({})
  const by = createPodSecurityPlugin(
    cluster,
    createConfiguration({
      defaults: { enforce: 'baseline' },
      exemptions: { usernames: ['root'], namespaces: ['ours'], runtimeClasses: ['vm'] },
    }),
  )
  const write1 = write('pods', createPod())
  await expect(validateWrite(write1, by)).rejects.toThrow('violates PodSecurity "baseline:latest"')
  const asRoot = { ...write1, context: { ...write1.context, user: { name: 'root', groups: [] } } }
  await validateWrite(asRoot, by)
  await validateWrite(write('pods', createPod(), { namespace: 'ours' }), by)
  await validateWrite(write('pods', createPod({ ...hostile, runtimeClassName: 'vm' })), by)
  const warning = 'namespace "ours" is exempt from Pod Security, and the policy (enforce=restricted:latest) will be ignored'
  expect(await validateWrite(write('namespaces', createNamespace({ enforce: 'restricted' }, 'ours')), by)).toEqual([warning])
})

it.each([
  [{ kind: 'Pod' }, 'no kind "Pod" is registered for version "pod-security.admission.config.k8s.io/v1"'],
  [{ kind: undefined }, "Object 'Kind' is missing in '{"],
  [{ default: {} }, 'strict decoding error: unknown field "default"'],
  [
    { defaults: { enforce: 'strict', 'audit-version': 'v2.0' } },
    '[defaults.enforce: Invalid value: "strict": must be one of privileged, baseline, restricted, defaults.audit-version: Invalid value: "v2.0": must be "latest" or "v1.x"]',
  ],
  [{ exemptions: { namespaces: ['a', 'a'] } }, 'exemptions.namespaces[1]: Duplicate value: "a"'],
  [{ exemptions: { usernames: [''] } }, 'exemptions.usernames[0]: Invalid value: "": username must not be empty'],
  [{ exemptions: { runtimeClasses: 'a' } }, 'exemptions.runtimeClasses must be a list of strings'],
])('rejects unknown members of its configuration: %j', (more, message) => {
  expect(() => createPodSecurityPlugin(cluster, createConfiguration(more))).toThrow(message)
})
