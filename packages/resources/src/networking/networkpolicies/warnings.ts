import type { NetworkPolicy } from '@keelson/api/networking/v1'
import type { DeepReadonly } from '@keelson/apimachinery'
import { findCidrWarnings } from '@keelson/resources-core'
import { collectRules } from './peers.ts'

export function findNetworkPolicyWarnings(policy: DeepReadonly<NetworkPolicy>): string[] {
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
