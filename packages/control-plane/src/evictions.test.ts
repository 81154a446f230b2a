import type { Pod, ServiceAccount } from '@keelson/api/core/v1'
import type { PodDisruptionBudget } from '@keelson/api/policy/v1'
import type { Status } from '@keelson/apimachinery'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { askServer } from './ask-server.fixture.ts'
import type { ServerChain } from './server-chain.ts'
import { startChain } from './start-chain.fixture.ts'

let chain: ServerChain
beforeEach(async () => {
  chain = await startChain()
  const accounts = chain.client.resource<ServiceAccount>({ group: '', resource: 'serviceaccounts' })!
  await accounts.create('default', { metadata: { name: 'default' } })
})
afterEach(() => chain.close())

async function evict(name: string, version = 'v1'): Promise<Status> {
  const eviction = { apiVersion: `policy/${version}`, kind: 'Eviction', metadata: { name } }
  return (await askServer<Status>(chain, 'POST', `/api/v1/namespaces/default/pods/${name}/eviction`, { body: eviction })).body
}

async function runPods(...names: string[]): Promise<void> {
  const pods = chain.client.resource<Pod>({ group: '', resource: 'pods' })!
  for (const name of names) {
    const spec = { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] }
    await pods.create('default', { metadata: { name, labels: { app: 'a' } }, spec })
    const run = (pod: Pod): Pod => ({ ...pod, status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } })
    await pods.update('default', name, run, { subresource: 'status' })
  }
}

test('allows as many concurrent evictions as the budget permits', async () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
  await runPods(...names)
  const budgets = chain.client.resource<PodDisruptionBudget>({ group: 'policy', resource: 'poddisruptionbudgets' })!
  await budgets.create('default', { metadata: { name: 'b' }, spec: { selector: { matchLabels: { app: 'a' } } } })
  const status = { observedGeneration: 1, disruptionsAllowed: 3, currentHealthy: 8, desiredHealthy: 5, expectedPods: 8 }
  await budgets.update('default', 'b', (budget) => ({ ...budget, status }), { subresource: 'status' })

  const answers = await Promise.all(names.map((name) => evict(name)))
  expect(answers.map(({ code }) => String(code)).sort()).toEqual(['201', '201', '201', '429', '429', '429', '429', '429'])
  const after = await budgets.get('default', 'b', { resourceVersion: '' })
  expect(after?.status?.disruptionsAllowed).toBe(0)
  const evicted = names.filter((_, i) => answers[i]!.code === 201)
  expect(Object.keys(after?.status?.disruptedPods ?? {}).sort()).toEqual(evicted)
})

test('accepts evictions in policy/v1beta1', async () => {
  await runPods('a')
  expect((await evict('a', 'v1beta1')).status).toBe('Success')
  expect((await evict('a', 'v2')).code).toBe(400)
})
