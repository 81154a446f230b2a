import type { NetworkPolicy, NetworkPolicySpec } from '@keelson/api/networking/v1'
import { networkingV1 } from '@keelson/api/networking/v1'
import { decodeStruct } from '@keelson/apimachinery'
import type { JsonObject, RequestContext } from '@keelson/apimachinery'
import { expect, it } from 'vitest'
import { networkPolicies } from './index.ts'

const { schema } = networkingV1.kinds.find(({ gvk }) => gvk.kind === 'NetworkPolicy')!

function computeGenerationAfter(spec: JsonObject): number | undefined {
  const read = (sent: JsonObject): NetworkPolicy => {
    const policy = decodeStruct<NetworkPolicy>(schema, { metadata: { name: 'p', generation: 1 }, spec: sent }).object
    networkPolicies.setDefaults?.(policy)
    return policy
  }
  const policy = read(spec)
  networkPolicies.strategy.prepareForUpdate?.({} as RequestContext, policy, read({ podSelector: {} }))
  return policy.metadata.generation
}

it('counts an empty rule list as a change each time, because storage drops it', () => {
  expect(computeGenerationAfter({ podSelector: {} } satisfies NetworkPolicySpec as JsonObject)).toBe(1)
  expect(computeGenerationAfter({ podSelector: {}, ingress: [] })).toBe(2)
  // Setting defaults does not increment the generation.
  expect(computeGenerationAfter({ podSelector: {}, policyTypes: [] })).toBe(1)
})
