import type { Pod, PodSpec, Toleration } from '@keelson/api/core/v1'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { AdmissionAttributes } from '../admission.ts'
import { admitObject, openTestCluster, update, write } from '../plugin.fixture.ts'
import type { TestCluster } from '../plugin.fixture.ts'
import { createPodTolerationRestrictionPlugin } from './index.ts'

let cluster: TestCluster
beforeEach(() => {
  cluster = openTestCluster(['namespaces', 'pods'])
})
afterEach(() => cluster[Symbol.asyncDispose]())

const head = { kind: 'Configuration', apiVersion: 'podtolerationrestriction.admission.k8s.io/v1alpha1' }
const storeNamespace = (annotations: { defaultTolerations?: string; tolerationsWhitelist?: string }): Promise<void> =>
  cluster.create('namespaces', {
    metadata: {
      name: 'ns',
      annotations: Object.fromEntries(Object.entries(annotations).map(([name, value]) => [`scheduler.alpha.kubernetes.io/${name}`, value])),
    },
  })
const createPod = (spec: Partial<PodSpec>): Pod => ({ metadata: { name: 'p' }, spec: { containers: [{ name: 'c' }], ...spec } })
const admit = async (attributes: AdmissionAttributes, configuration?: object): Promise<Toleration[] | undefined> => {
  const plugin = createPodTolerationRestrictionPlugin(cluster, configuration && { ...head, ...configuration })
  return (await admitObject<Pod>(plugin, attributes)).spec!.tolerations
}
const create = (spec: Partial<PodSpec> = {}): AdmissionAttributes => write('pods', createPod(spec))
const a: Toleration = { key: 'a', operator: 'Equal', value: '1', effect: 'NoSchedule' }
const b: Toleration = { key: 'b', operator: 'Exists' }
const memoryPressure: Toleration = { key: 'node.kubernetes.io/memory-pressure', operator: 'Exists', effect: 'NoSchedule' }
const burstable = [{ name: 'c', resources: { requests: { cpu: '1' } } }]
const matchConflict = (level: string) => ({
  code: 500,
  message: `pod tolerations (possibly merged with namespace default tolerations) conflict with its ${level} whitelist`,
})

describe('default tolerations', () => {
  it('come from the namespace, or else from the configuration', async () => {
    await storeNamespace({ defaultTolerations: JSON.stringify([a]) })
    expect(await admit(create({ tolerations: [b] }), { default: [b] })).toEqual([b, a])
  })

  it('come from the configuration if the namespace has none', async () => {
    await storeNamespace({})
    expect(await admit(create(), { default: [b] })).toEqual([b])
    expect(await admit(create())).toBeUndefined()
  })

  it.each(['', '[]', 'null'])('are none if the annotation is %j', async (defaultTolerations) => {
    await storeNamespace({ defaultTolerations })
    expect(await admit(create(), { default: [b] })).toBeUndefined()
  })

  it('are not added by an update', async () => {
    await storeNamespace({ defaultTolerations: JSON.stringify([a]) })
    expect(await admit(update('pods', createPod({}), createPod({ tolerations: [b] })))).toEqual([b])
  })

  it('may have names of members in any case', async () => {
    await storeNamespace({ defaultTolerations: '[{"Key":"x","OPERATOR":"Exists","tolerationseconds":5,"effect":"NoExecute"}]' })
    expect(await admit(create())).toEqual([{ key: 'x', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 }])
  })

  it.each([
    ['{', 'unexpected end of JSON input'],
    ['{}', 'json: cannot unmarshal object into Go value of type []v1.Toleration'],
    ['[{"key":1}]', 'json: cannot unmarshal number into Go struct field Toleration.key of type string'],
    ['[{"tolerationSeconds":"1"}]', 'json: cannot unmarshal string into Go struct field Toleration.tolerationSeconds of type int64'],
  ])('%s are an error', async (defaultTolerations, message) => {
    await storeNamespace({ defaultTolerations })
    await expect(admit(create())).rejects.toMatchObject({ code: 500, message })
  })
})

it('lets pods with requests tolerate memory pressure, also when they are updated', async () => {
  await storeNamespace({})
  expect(await admit(create({ containers: burstable, tolerations: [a] }))).toEqual([a, memoryPressure])
  expect(await admit(update('pods', createPod({}), createPod({ containers: burstable })))).toEqual([memoryPressure])
  const tolerations = [{ operator: 'Exists' }]
  expect(await admit(create({ containers: burstable, tolerations: tolerations }))).toEqual(tolerations)
})

describe('allowed tolerations', () => {
  it('come from the namespace, or else from the configuration', async () => {
    await storeNamespace({ tolerationsWhitelist: JSON.stringify([a]) })
    expect(await admit(create({ tolerations: [a] }), { whitelist: [b] })).toEqual([a])
    await expect(admit(create({ tolerations: [b] }), { whitelist: [b] })).rejects.toMatchObject(matchConflict('namespace'))
    expect(await admit(create(), { whitelist: [b] })).toBeUndefined()
  })

  it('come from the configuration if the namespace has none', async () => {
    await storeNamespace({})
    expect(await admit(create({ tolerations: [{ ...b, effect: 'NoExecute' }] }), { whitelist: [b] })).toHaveLength(1)
    await expect(admit(create({ tolerations: [a] }), { whitelist: [b] })).rejects.toMatchObject(matchConflict('cluster'))
  })

  it.each(['', '[]'])('are all if the annotation is %j', async (tolerationsWhitelist) => {
    await storeNamespace({ tolerationsWhitelist })
    expect(await admit(create({ tolerations: [a] }), { whitelist: [b] })).toEqual([a])
  })

  it('apply to default tolerations too', async () => {
    await storeNamespace({ tolerationsWhitelist: JSON.stringify([a]), defaultTolerations: JSON.stringify([b]) })
    await expect(admit(create())).rejects.toMatchObject(matchConflict('namespace'))
  })
})

it('fails if the namespace does not exist', async () => {
  await expect(admit(create())).rejects.toMatchObject({ code: 404, message: 'namespaces "ns" not found' })
})

it.each([
  [{ ...head, whitelist: {} }, 'whitelist must be a list'],
  [{ kind: 'Pod', apiVersion: 'v1' }, 'no kind "Pod" is registered for version "v1"'],
  [
    { ...head, default: [{ key: 'a', operator: 'Foo', effect: 'Bar' }], whitelist: [{ operator: 'Equal' }] },
    'invalid config: [podtolerationrestriction.default[0].operator: Unsupported value: "Foo": supported values: "Equal", "Exists" ' +
      'podtolerationrestriction.default[0].effect: Unsupported value: "Bar": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute" ' +
      'podtolerationrestriction.whitelist[0].operator: Invalid value: "Equal": operator must be Exists when `key` is empty, which means "match all values and all keys"]',
  ],
])('refuses the configuration %j', (configuration, message) => {
  expect(() => createPodTolerationRestrictionPlugin(cluster, configuration)).toThrow(new Error(message))
})
