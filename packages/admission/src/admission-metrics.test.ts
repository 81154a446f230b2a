import { createMetricsRegistry } from '@keelson/apimachinery/metrics'
import { expect, it } from 'vitest'
import type { AdmissionAttributes, AdmissionPlugin } from './admission.ts'
import { createAdmissionMetrics } from './admission-metrics.ts'
import { createAdmissionChain } from './create-admission-chain.ts'

const create = { operation: 'CREATE' } as AdmissionAttributes
const plugin = 'apiserver_admission_controller_admission_duration_seconds'
const step = 'apiserver_admission_step_admission_duration_seconds'

async function countsAfter(plugins: readonly AdmissionPlugin[], type: 'admit' | 'validate'): Promise<readonly string[]> {
  const registry = createMetricsRegistry()
  const chain = createAdmissionChain(plugins, { metrics: createAdmissionMetrics(registry) })
  try {
    await chain[type](create)
  } catch {}
  return registry
    .text()
    .split('\n')
    .filter((line) => line.includes('_count{'))
}

const labels = (type: string, rejected: boolean, name?: string): string =>
  `{${name === undefined ? '' : `name="${name}",`}operation="CREATE",rejected="${rejected}",type="${type}"}`

it('counts calls of each plugin phase and of whole phases, synchronous or not', async () => {
  const plugins: AdmissionPlugin[] = [
    { name: 'Quick', admit: () => {} },
    { name: 'Slow', admit: async () => {} },
    { name: 'Other', validate: () => {} },
    { name: 'Last', admit: () => {} },
  ]
  const each = (name: string): string => `${plugin}_count${labels('admit', false, name)} 1`
  expect(await countsAfter(plugins, 'admit')).toEqual([
    `${step}_count${labels('admit', false)} 1`,
    `${step}_summary_count${labels('admit', false)} 1`,
    ...['Quick', 'Slow', 'Last'].map(each),
  ])
})

it.each([
  [
    'at once',
    () => {
      throw new Error('no')
    },
  ],
  ['later', () => Promise.reject(new Error('no'))],
])('counts a %s refusal once for the plugin and once for the phase', async (_, validate) => {
  const plugins: AdmissionPlugin[] = [
    { name: 'Waits', validate: async () => {} },
    { name: 'Refuses', validate },
    { name: 'Unasked', validate: () => {} },
  ]
  expect(await countsAfter(plugins, 'validate')).toEqual([
    `${step}_count${labels('validate', true)} 1`,
    `${step}_summary_count${labels('validate', true)} 1`,
    `${plugin}_count${labels('validate', false, 'Waits')} 1`,
    `${plugin}_count${labels('validate', true, 'Refuses')} 1`,
  ])
})
