import type { Pod, PodAffinityTerm, PodAntiAffinity } from '@keelson/api/core/v1'
import { expect, it } from 'vitest'
import { write } from '../plugin.fixture.ts'
import { limitPodHardAntiAffinityTopology } from './index.ts'

const createTerm = (topologyKey: string): PodAffinityTerm => ({ topologyKey })
const validate = (podAntiAffinity: PodAntiAffinity) => () =>
  limitPodHardAntiAffinityTopology().validate!(
    write('pods', { metadata: { name: 'p' }, spec: { containers: [], affinity: { podAntiAffinity } } } as Pod),
  )
const createRequiredTerms = (...keys: string[]): PodAntiAffinity => ({
  requiredDuringSchedulingIgnoredDuringExecution: keys.map(createTerm),
})

it('rejects required anti-affinity that is wider than a node', () => {
  expect(validate(createRequiredTerms('kubernetes.io/hostname', 'zone'))).toThrow(
    expect.objectContaining({
      code: 403,
      message:
        'pods "p" is forbidden: affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey zone but only key kubernetes.io/hostname is allowed',
    }),
  )
})

it('admits required anti-affinity between nodes, and any preferred one', async () => {
  await validate(createRequiredTerms('kubernetes.io/hostname'))()
  await validate({})()
  await validate({ preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: createTerm('zone') }] })()
})
