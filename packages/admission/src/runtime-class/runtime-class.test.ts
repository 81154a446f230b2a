import type { Pod } from '@keelson/api/core/v1'
import type { RuntimeClass } from '@keelson/api/node/v1'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { AdmissionPlugin } from '../admission.ts'
import { admitObject, openTestCluster, write } from '../plugin.fixture.ts'
import type { TestCluster } from '../plugin.fixture.ts'
import { createRuntimeClassPlugin } from './index.ts'
import { mergeTolerations } from '../merge-tolerations.ts'

let cluster: TestCluster
let plugin: AdmissionPlugin
beforeEach(() => {
  cluster = openTestCluster(['pods', 'runtimeclasses'])
  plugin = createRuntimeClassPlugin(cluster)
})
afterEach(() => cluster[Symbol.asyncDispose]())

const create = (overrides: Partial<RuntimeClass>): Promise<void> =>
  cluster.create('runtimeclasses', { metadata: { name: 'sandbox' }, ...overrides })
const admit = async (spec: Partial<Pod['spec']>): Promise<Pod['spec']> =>
  (await admitObject<Pod>(plugin, write('pods', { metadata: { name: 'p' }, spec: { containers: [], ...spec } } as Pod))).spec
const sandboxed = { runtimeClassName: 'sandbox' }

it('refuses an unknown class', async () => {
  await expect(admit({ runtimeClassName: 'none' })).rejects.toMatchObject({
    code: 403,
    message: 'pods "p" is forbidden: pod rejected: RuntimeClass "none" not found',
  })
  await admit({})
})

it.each([
  ['a/b', `invalid resource name "a/b": [may not contain '/']`],
  ['', 'resource name may not be empty'],
])('does not read the store for the invalid class name %j', async (runtimeClassName, message) => {
  await expect(admit({ runtimeClassName })).rejects.toMatchObject({ code: 500, message })
})

it('sets the overhead of the class', async () => {
  await create({ overhead: { podFixed: { cpu: '250m' } } })
  expect(await admit(sandboxed)).toMatchObject({ overhead: { cpu: '250m' } })
  expect(await admit({ ...sandboxed, overhead: { cpu: '0.25' } })).toMatchObject({ overhead: { cpu: '250m' } })
  const message = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead"
  await expect(admit({ ...sandboxed, overhead: { cpu: '1' } })).rejects.toThrow(message)
  await expect(admit({ overhead: { cpu: '1' } })).rejects.toThrow(
    'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead',
  )
})

it('sets node selector and tolerations of the class', async () => {
  await create({ scheduling: { nodeSelector: { arch: 'a' }, tolerations: [{ key: 'k', operator: 'Exists' }] } })
  expect(
    await admit({ ...sandboxed, nodeSelector: { disk: 'ssd' }, tolerations: [{ key: 'k', operator: 'Exists', effect: 'NoSchedule' }] }),
  ).toEqual({
    containers: [],
    ...sandboxed,
    nodeSelector: { disk: 'ssd', arch: 'a' },
    tolerations: [{ key: 'k', operator: 'Exists' }],
  })
  await expect(admit({ ...sandboxed, nodeSelector: { arch: 'b' } })).rejects.toThrow(
    'conflict: runtimeClass.scheduling.nodeSelector[arch] = a; pod.spec.nodeSelector[arch] = b',
  )
})

it('drops tolerations covered by others and keeps the first of equal ones', () => {
  const toleration = { operator: 'Exists' }
  const a = { key: 'a', operator: 'Equal', value: 'v', effect: 'NoExecute' }
  expect(mergeTolerations([a], [toleration])).toEqual([toleration])
  expect(mergeTolerations([toleration], [a])).toEqual([toleration])
  expect(mergeTolerations([a], [{ ...a }])).toEqual([a])
  expect(mergeTolerations([a], [{ ...a, value: 'w' }])).toEqual([a, { ...a, value: 'w' }])
  const brief = { ...a, tolerationSeconds: 5 }
  const longer = { ...a, tolerationSeconds: 10 }
  expect(mergeTolerations([brief], [longer])).toEqual([longer])
  expect(mergeTolerations([longer], [a])).toEqual([a])
})
