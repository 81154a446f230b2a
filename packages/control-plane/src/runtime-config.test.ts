import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { askServer } from './ask-server.fixture.ts'
import type { JsonResponse } from './ask-server.fixture.ts'
import type { ServerChain } from './server-chain.ts'
import { startChain } from './start-chain.fixture.ts'

interface Discovered {
  readonly versions: readonly { readonly version: string }[]
  readonly preferredVersion: { readonly version: string }
  readonly resources: readonly { readonly name: string; readonly storageVersionHash?: string }[]
}

describe('with every version on', () => {
  let chain: ServerChain
  beforeAll(async () => void (chain = await startChain({ features: { runtimeConfig: { 'api/all': true } } })))
  afterAll(() => chain.close())

  function call<Body = Record<string, unknown>>(method: string, path: string, body?: object): Promise<JsonResponse<Body>> {
    return askServer<Body>(chain, method, `/apis/${path}`, { body })
  }

  it.each([
    ['storage.k8s.io', ['v1', 'v1beta1']],
    ['networking.k8s.io', ['v1', 'v1beta1']],
    ['resource.k8s.io', ['v1', 'v1beta2', 'v1beta1']],
    ['admissionregistration.k8s.io', ['v1', 'v1beta1', 'v1alpha1']],
    ['apps', ['v1']],
  ])('serves %s as %j and prefers the first', async (group, versions) => {
    const { body } = await call<Discovered>('GET', group)
    expect(body.versions.map(({ version }) => version)).toEqual(versions)
    expect(body.preferredVersion.version).toBe('v1')
  })

  it.each([
    ['storage.k8s.io/v1beta1', ['volumeattributesclasses']],
    ['networking.k8s.io/v1beta1', ['ipaddresses', 'servicecidrs', 'servicecidrs/status']],
    ['resource.k8s.io/v1beta1', ['deviceclasses', 'resourceclaims', 'resourceclaims/status', 'resourceclaimtemplates', 'resourceslices']],
    ['resource.k8s.io/v1beta2', ['deviceclasses', 'resourceclaims', 'resourceclaims/status', 'resourceclaimtemplates', 'resourceslices']],
    ['admissionregistration.k8s.io/v1beta1', ['mutatingadmissionpolicies', 'mutatingadmissionpolicybindings']],
    ['admissionregistration.k8s.io/v1alpha1', ['mutatingadmissionpolicies', 'mutatingadmissionpolicybindings']],
  ])('serves %s with %j, stored as v1', async (version, names) => {
    const { resources } = (await call<Discovered>('GET', version)).body
    expect(resources.map(({ name }) => name)).toEqual(names)
    const stable = (await call<Discovered>('GET', version.replace(/v1(beta|alpha)\d$/, 'v1'))).body.resources
    for (const { name, storageVersionHash } of resources)
      expect(storageVersionHash).toBe(stable.find((resource) => resource.name === name)?.storageVersionHash)
  })

  it('reads objects in other versions than they were created in', async () => {
    const locateAt = (version: string, name = ''): string => `resource.k8s.io/${version}/namespaces/default/resourceclaims/${name}`
    const request = { name: 'r', deviceClassName: 'c', tolerations: [{ key: 'k' }] }
    const created = await call('POST', locateAt('v1beta1'), { metadata: { name: 'a' }, spec: { devices: { requests: [request] } } })
    expect(created.status).toBe(201)
    const defaulted = {
      deviceClassName: 'c',
      allocationMode: 'ExactCount',
      count: 1,
      tolerations: [{ key: 'k', operator: 'Equal' }],
    }
    const expected = {
      v1: { name: 'r', exactly: defaulted },
      v1beta2: { name: 'r', exactly: defaulted },
      v1beta1: { name: 'r', ...defaulted },
    }
    for (const [version, wanted] of Object.entries(expected))
      expect((await call('GET', locateAt(version, 'a'))).body).toMatchObject({
        apiVersion: `resource.k8s.io/${version}`,
        kind: 'ResourceClaim',
        spec: { devices: { requests: [wanted] } },
      })
  })

  it('warns about deprecated versions', async () => {
    const { headers } = await call('GET', 'storage.k8s.io/v1beta1/volumeattributesclasses')
    expect(headers['warning']).toBe(
      '299 - "storage.k8s.io/v1beta1 VolumeAttributesClass is deprecated in v1.34+, unavailable in v1.37+; use storage.k8s.io/v1 VolumeAttributesClass"',
    )
    expect((await call('GET', 'storage.k8s.io/v1/volumeattributesclasses')).headers).not.toHaveProperty('warning')
  })

  it('defaults parameterNotFoundAction to Deny in v1alpha1 bindings', async () => {
    const spec = { policyName: 'p', paramRef: { name: 'x' } }
    const at = 'admissionregistration.k8s.io/v1alpha1/mutatingadmissionpolicybindings'
    const { status, body } = await call<{ spec: object }>('POST', at, { metadata: { name: 'b' }, spec })
    expect([status, body.spec]).toMatchObject([201, { paramRef: { parameterNotFoundAction: 'Deny' } }])
  })
})

it('enables and disables single resources', async () => {
  await using chain = await startChain({
    features: { runtimeConfig: { 'resource.k8s.io/v1beta1/resourceslices': true, 'apps/v1/daemonsets': false } },
  })
  const listNames = async (version: string): Promise<string[]> =>
    (await askServer<Discovered>(chain, 'GET', `/apis/${version}`)).body.resources.map(({ name }) => name)
  expect(await listNames('resource.k8s.io/v1beta1')).toEqual(['resourceslices'])
  expect(await listNames('apps/v1')).not.toContain('daemonsets')
  expect((await askServer(chain, 'GET', '/apis/apps/v1/daemonsets').catch(() => ({ status: 404 }))).status).toBe(404)
})
