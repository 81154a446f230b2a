import type { NetworkPolicy } from '@keelson/api/networking/v1'

/** A policy is about what comes in, and about what goes out when it says something of that. */
export function setNetworkPolicyDefaults({ spec }: NetworkPolicy): void {
  if (spec === undefined) return
  const { ingress = [], egress = [], policyTypes = [] } = spec
  for (const { ports = [] } of [...ingress, ...egress]) for (const port of ports) port.protocol ??= 'TCP'
  if (policyTypes.length === 0) spec.policyTypes = egress.length > 0 ? ['Ingress', 'Egress'] : ['Ingress']
}
