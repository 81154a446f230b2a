import type { NetworkPolicy } from '@keelson/api/networking/v1'

/** Policies apply to ingress traffic by default, and to egress traffic if they have egress rules. */
export function setNetworkPolicyDefaults({ spec }: NetworkPolicy): void {
  if (spec === undefined) return
  const { ingress = [], egress = [], policyTypes = [] } = spec
  for (const { ports = [] } of [...ingress, ...egress]) for (const port of ports) port.protocol ??= 'TCP'
  if (policyTypes.length === 0) spec.policyTypes = egress.length > 0 ? ['Ingress', 'Egress'] : ['Ingress']
}
