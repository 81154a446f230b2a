import type { KubeObject } from '@keelson/apimachinery'
import { Scheme } from '@keelson/apimachinery'
import * as fc from 'fast-check'
import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { resource } from './index.ts'

const scheme = new Scheme()
resource.register(scheme)
const createGvk = (version: string, kind: string) => ({ group: 'resource.k8s.io', version, kind })

function toHub(version: string, kind: string, object: object): KubeObject {
  const created = structuredClone(object) as KubeObject
  scheme.setDefaults(createGvk(version, kind), created)
  return scheme.toHub(createGvk(version, kind), created)
}

const metadata = { name: 'a' }
const claim = (request: object): object => ({ metadata, spec: { devices: { requests: [{ name: 'r', ...request }] } } })

describe('v1beta1 claims', () => {
  it.each([
    ['one device', { deviceClassName: 'c' }, { exactly: { deviceClassName: 'c', allocationMode: 'ExactCount', count: 1 } }],
    ['one of several', { deviceClassName: '', firstAvailable: [] }, { firstAvailable: [] }],
    ['a class that was forgotten', { deviceClassName: '', adminAccess: false }, { exactly: { deviceClassName: '', adminAccess: false } }],
    ['nothing at all', {}, {}],
  ])('are converted to the hub version: %s', (_what, request, expected) => {
    expect(toHub('v1beta1', 'ResourceClaim', claim(request))).toEqual(claim(expected))
    const template = { metadata, spec: { spec: (claim(request) as { spec: object }).spec } }
    const expectedTemplate = { metadata, spec: { spec: (claim(expected) as { spec: object }).spec } }
    expect(toHub('v1beta1', 'ResourceClaimTemplate', template)).toEqual(expectedTemplate)
  })
})

describe('v1beta1 slices', () => {
  it('drops an empty node name and a false allNodes', () => {
    const spec = { driver: 'd', pool: { name: 'p', generation: 1, resourceSliceCount: 1 } }
    const slice = { metadata, spec: { ...spec, nodeName: '', allNodes: false, devices: [{ name: 'x' }] } }
    expect(toHub('v1beta1', 'ResourceSlice', slice)).toEqual({ metadata, spec: { ...spec, devices: [{ name: 'x' }] } })
  })

  it('converts every device to a basic device', () => {
    const name = fc.stringMatching(/^[a-z]{1,4}$/)
    const device = fc.record(
      { name, nodeName: name, allNodes: fc.boolean(), bindsToNode: fc.boolean(), bindingConditions: fc.array(name) },
      { requiredKeys: ['name'] },
    )
    fc.assert(
      fc.property(fc.array(device), (devices) => {
        const hub = { metadata, spec: { driver: 'd', pool: { name: 'p', generation: 1, resourceSliceCount: 1 }, devices } }
        const beta = scheme.fromHub(createGvk('v1beta1', 'ResourceSlice'), hub) as KubeObject & { spec: { devices: object[] } }
        for (const item of beta.spec.devices) expect(Object.keys(item)).toEqual(['name', 'basic'])
        expect(scheme.toHub(createGvk('v1beta1', 'ResourceSlice'), beta)).toEqual(hub)
      }),
    )
  })
})

/** Recorded objects with all fields set. They are not in the repository; without them, these tests are skipped. */
const codec = new URL('../../../../../shared/golden/codec/', import.meta.url)
const full = ['v1beta1', 'v1beta2'].flatMap((version) =>
  resource.resources.map(({ kind }) => [`resource.k8s.io.${version}.${kind}`, version, kind] as const),
)

describe.skipIf(!existsSync(codec))('conversion to the hub version and back', () => {
  it.each(full)('does not change %s', (name, version, kind) => {
    const object = JSON.parse(readFileSync(new URL(`${name}.json`, codec), 'utf8')) as KubeObject
    const back = scheme.fromHub(createGvk(version, kind), scheme.toHub(createGvk(version, kind), structuredClone(object)))
    expect(back).toEqual(object)
  })
})
