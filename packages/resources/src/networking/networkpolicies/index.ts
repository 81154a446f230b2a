import type { NetworkPolicy } from '@keelson/api/networking/v1'
import { hasEmptyMarks, equalsSemantically } from '@keelson/apimachinery'
import type { DeepReadonly } from '@keelson/apimachinery'
import { defineResource } from '@keelson/registry'
import type { ResourceDefinition } from '@keelson/registry'
import { findCidrWarnings, formatLabelSelector } from '@keelson/resources-core'
import { collectRules } from './peers.ts'
import { validateNetworkPolicy, validateNetworkPolicyUpdate } from './validate.ts'

export const networkPolicies: ResourceDefinition<NetworkPolicy> = defineResource<NetworkPolicy>({
  group: 'networking.k8s.io',
  version: 'v1',
  kind: 'NetworkPolicy',
  plural: 'networkpolicies',
  scope: 'Namespaced',
  shortNames: ['netpol'],
  setDefaults: setNetworkPolicyDefaults,
  strategy: {
    repeatedMetadataChecks: 'update',
    prepareForCreate(_context, { metadata }) {
      metadata.generation = 1
    },
    prepareForUpdate(_context, { metadata, spec }, old) {
      // Storage drops empty lists of the client, but kube-apiserver counts them as a change here.
      const isChanged = !equalsSemantically(spec ?? {}, old.spec ?? {}) || hasEmptyMarks(spec)
      if (isChanged) metadata.generation = (old.metadata.generation ?? 0) + 1
    },
    validateCreate: (_context, policy) => validateNetworkPolicy(policy),
    warningsOnCreate: (_context, policy) => findNetworkPolicyWarnings(policy),
    validateUpdate: (_context, policy, old) => validateNetworkPolicyUpdate(policy, old),
    warningsOnUpdate: (_context, policy) => findNetworkPolicyWarnings(policy),
  },
  columns: [
    { name: 'Pod-Selector', description: 'Label selector of its pods.', value: ({ spec }) => formatLabelSelector(spec?.podSelector ?? {}) },
  ],
})

function findNetworkPolicyWarnings(policy: DeepReadonly<NetworkPolicy>): string[] {
  return collectRules(policy).flatMap(({ peers, peersPath }) =>
    peers.flatMap(({ ipBlock }, i) => {
      if (ipBlock === undefined) return []
      const path = peersPath.index(i).child('ipBlock')
      return [
        ...findCidrWarnings(ipBlock.cidr, path.child('cidr')),
        ...(ipBlock.except ?? []).flatMap((except, j) => findCidrWarnings(except, path.child('except').index(j))),
      ]
    }),
  )
}

/** Sets the default policy types: ingress, and egress if there are egress rules. */
function setNetworkPolicyDefaults({ spec }: NetworkPolicy): void {
  if (spec === undefined) return
  const { ingress = [], egress = [], policyTypes = [] } = spec
  for (const { ports = [] } of [...ingress, ...egress]) for (const port of ports) port.protocol ??= 'TCP'
  if (policyTypes.length === 0) spec.policyTypes = egress.length > 0 ? ['Ingress', 'Egress'] : ['Ingress']
}
