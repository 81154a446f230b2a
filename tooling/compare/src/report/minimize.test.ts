import { describe, expect, it } from 'vitest'
import type { Case } from '../cases/case.ts'
import { minimize } from './minimize.ts'

const path = '/api/v1/namespaces/${ns}/pods'
const fullCase: Case = {
  id: 'change/Pod/1',
  scenario: 'change',
  kind: 'Pod',
  seed: 1,
  steps: [
    { method: 'POST', path, body: { metadata: { name: 'one', labels: { a: 'b' } }, spec: { containers: [{ name: 'c' }, { name: 'd' }] } } },
    { method: 'PUT', path: `${path}/one`, body: { spec: {} } },
    { method: 'GET', path: `${path}/one` },
  ],
}
/** Differs if the first step contains the second container and the last step is a GET. */
const differs = async ({ steps }: Case): Promise<boolean> => JSON.stringify(steps[0]).includes('"d"') && steps.at(-1)?.method === 'GET'

describe('minimize', () => {
  it('finds the smallest case that still differs', async () => {
    const { steps } = await minimize(fullCase, differs, 100)
    expect(steps).toEqual([{ method: 'POST', path, body: { spec: { containers: [{ name: 'd' }] } } }, fullCase.steps[2]])
  })

  it('stops when its budget is used up', async () => {
    let trials = 0
    const countTrial = (smaller: Case): Promise<boolean> => (trials++, differs(smaller))
    await minimize(fullCase, countTrial, 3)
    expect(trials).toBe(3)
    expect(await minimize(fullCase, countTrial, 0)).toBe(fullCase)
  })

  it('never plays a case that would change objects outside the run', async () => {
    const node: Case = { ...fullCase, steps: [{ method: 'POST', path: '/api/v1/nodes', body: { metadata: { name: '${ns}-one' } } }] }
    expect(await minimize(node, () => Promise.resolve(true), 100)).toEqual(node)
  })
})
