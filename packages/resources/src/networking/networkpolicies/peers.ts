import type { NetworkPolicy, NetworkPolicyPeer, NetworkPolicyPort } from '@keelson/api/networking/v1'
import { newFieldPath } from '@keelson/apimachinery'
import type { DeepReadonly, FieldPath } from '@keelson/apimachinery'

/** An ingress or egress rule. */
export interface Rule {
  readonly path: FieldPath
  readonly ports: readonly DeepReadonly<NetworkPolicyPort>[]
  readonly peers: readonly DeepReadonly<NetworkPolicyPeer>[]
  readonly peersPath: FieldPath
}

export function collectRules({ spec }: DeepReadonly<NetworkPolicy>): Rule[] {
  const createRule = (
    direction: 'ingress' | 'egress',
    i: number,
    ports: Rule['ports'] | undefined,
    peers: Rule['peers'] | undefined,
  ): Rule => {
    const path = newFieldPath('spec', direction).index(i)
    return { path, ports: ports ?? [], peers: peers ?? [], peersPath: path.child(direction === 'ingress' ? 'from' : 'to') }
  }
  return [
    ...(spec?.ingress ?? []).map(({ ports, from }, i) => createRule('ingress', i, ports, from)),
    ...(spec?.egress ?? []).map(({ ports, to }, i) => createRule('egress', i, ports, to)),
  ]
}

/** Returns all CIDRs of the policy, including the exceptions. */
export function collectCidrs(policy: DeepReadonly<NetworkPolicy>): string[] {
  return collectRules(policy).flatMap(({ peers }) =>
    peers.flatMap(({ ipBlock }) => (ipBlock ? [ipBlock.cidr, ...(ipBlock.except ?? [])] : [])),
  )
}
