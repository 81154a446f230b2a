import type { FlowSchema, PriorityLevelConfiguration } from '@keelson/api/flowcontrol/v1'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ServerChain } from '../server-chain.ts'
import { startChain } from '../start-chain.fixture.ts'
import { createFlowControl } from './flow-control.ts'

const group = 'flowcontrol.apiserver.k8s.io'

let chain: ServerChain
beforeAll(async () => void (chain = await startChain()))
afterAll(() => chain.close())

const findSchemas = () => chain.client.resource<FlowSchema>({ group, resource: 'flowschemas' })!
const findLevels = () => chain.client.resource<PriorityLevelConfiguration>({ group, resource: 'prioritylevelconfigurations' })!
const shares = async (name: string): Promise<number | null | undefined> =>
  (await findLevels().get('', name, { resourceVersion: '' }))?.spec?.limited?.nominalConcurrencyShares

test('every schema refers to an existing level and has a condition for it', async () => {
  const present = new Set((await findLevels().list({ resourceVersion: '' })).items.map(({ metadata }) => metadata.name))
  const { items } = await findSchemas().list({ resourceVersion: '' })
  expect([items.length, present.size]).toEqual([11, 8])
  for (const { spec, status } of items) {
    expect(present).toContain(spec?.priorityLevelConfiguration.name)
    expect(status?.conditions).toMatchObject([{ type: 'Dangling', status: 'False', reason: 'Found' }])
  }
})

test('the next start restores changed objects, except those with automatic updates disabled', async () => {
  const changeLevel = (name: string, owned: boolean) =>
    findLevels().update('', name, (level) => {
      level.spec!.limited!.nominalConcurrencyShares = 7
      if (owned) level.metadata.annotations = { 'apf.kubernetes.io/autoupdate-spec': 'false' }
      return level
    })
  await changeLevel('workload-low', false)
  await changeLevel('workload-high', true)
  await findSchemas().delete('', 'probes')
  await createFlowControl(chain.client, Date.now)
  expect([await shares('workload-low'), await shares('workload-high')]).toEqual([100, 7])
  expect((await findSchemas().get('', 'probes', { resourceVersion: '' }))?.spec?.matchingPrecedence).toBe(2)
})
