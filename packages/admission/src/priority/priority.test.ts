import type { Pod } from '@keelson/api/core/v1'
import type { PriorityClass } from '@keelson/api/scheduling/v1'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { AdmissionPlugin } from '../admission.ts'
import { admitObject, openTestCluster, update, write } from '../plugin.fixture.ts'
import type { TestCluster } from '../plugin.fixture.ts'
import { createPriorityPlugin } from './index.ts'

let cluster: TestCluster
let plugin: AdmissionPlugin
beforeEach(() => {
  cluster = openTestCluster(['pods', 'priorityclasses'])
  plugin = createPriorityPlugin(cluster)
})
afterEach(() => cluster[Symbol.asyncDispose]())

const createPod = (spec: Partial<Pod['spec']> = {}): Pod => ({ metadata: { name: 'p' }, spec: { containers: [], ...spec } })
const createPriorityClass = (name: string, value: number, overrides: Partial<PriorityClass> = {}): PriorityClass => ({
  metadata: { name },
  value,
  ...overrides,
})
const admit = async (object: Pod): Promise<Pod['spec']> => (await admitObject<Pod>(plugin, write('pods', object))).spec
const expectRefusal = (object: Pod, message: string) =>
  expect(admit(object)).rejects.toMatchObject({ code: 403, message: `pods "p" is forbidden: ${message}` })

it('sets priority zero if there are no classes', async () => {
  expect(await admit(createPod())).toEqual({ containers: [], priority: 0, preemptionPolicy: 'PreemptLowerPriority' })
  await expectRefusal(
    createPod({ priority: 7 }),
    'the integer value of priority (7) must not be provided in pod spec; priority admission controller computed 0 from the given PriorityClass name',
  )
  await expectRefusal(
    createPod({ preemptionPolicy: 'Never' }),
    'the string value of PreemptionPolicy (Never) must not be provided in pod spec; priority admission controller computed PreemptLowerPriority from the given PriorityClass name',
  )
})

it('uses the priority of the class, even if the informer does not have it yet', async () => {
  await cluster.create('priorityclasses', createPriorityClass('high', 1000, { preemptionPolicy: 'Never' }))
  expect(await admit(createPod({ priorityClassName: 'high' }))).toEqual({
    containers: [],
    priorityClassName: 'high',
    priority: 1000,
    preemptionPolicy: 'Never',
  })
  for (const name of ['none', 'a/b', '..'])
    await expectRefusal(createPod({ priorityClassName: name }), `no PriorityClass with name ${name} was found`)
})

it('uses the lowest of several default classes for pods without a class', async () => {
  await cluster.create('priorityclasses', createPriorityClass('a', 20, { globalDefault: true }))
  await cluster.create('priorityclasses', createPriorityClass('b', 10, { globalDefault: true }))
  await cluster.create('priorityclasses', createPriorityClass('c', 5))
  expect(await admit(createPod())).toEqual({ containers: [], priorityClassName: 'b', priority: 10 })
})

it('keeps priority fields on update', async () => {
  const changed = createPod()
  await admitObject(plugin, update('pods', createPod({ priority: 5, preemptionPolicy: 'Never' }), changed))
  expect(changed.spec).toEqual({ containers: [], priority: 5, preemptionPolicy: 'Never' })
})

it('allows one default class', async () => {
  const first = createPriorityClass('first', 1, { globalDefault: true })
  const second = createPriorityClass('second', 2, { globalDefault: true })
  await cluster.create('priorityclasses', structuredClone(first))
  const message = 'PriorityClass first is already marked as default. Only one default can exist'
  await expect(admitObject(plugin, write('priorityclasses', second))).rejects.toMatchObject({
    code: 403,
    message: expect.stringContaining(message),
  })
  await expect(admitObject(plugin, update('priorityclasses', second, second))).rejects.toMatchObject({ code: 403 })
  await admitObject(plugin, update('priorityclasses', first, first))
  await admitObject(plugin, write('priorityclasses', createPriorityClass('third', 3)))
})
