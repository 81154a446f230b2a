import type { Ingress, IngressLoadBalancerStatus, IngressRule } from '@keelson/api/networking/v1'
import type { DeepReadonly } from '@keelson/apimachinery'
import type { Column } from '@keelson/registry'

const maxShownHosts = 3
const maxAddressWidth = 16

export const ingressColumns: readonly Column<Ingress>[] = [
  { name: 'Class', description: 'Name of the ingress class.', value: ({ spec }) => spec?.ingressClassName ?? '<none>' },
  { name: 'Hosts', description: 'Hosts of its rules.', value: ({ spec }) => formatHosts(spec?.rules ?? []) },
  { name: 'Address', description: 'Addresses of the load balancer.', value: ({ status }) => formatAddresses(status?.loadBalancer ?? {}) },
  { name: 'Ports', description: 'Ports the ingress listens on.', value: ({ spec }) => ((spec?.tls ?? []).length > 0 ? '80, 443' : '80') },
]

function formatHosts(rules: readonly DeepReadonly<IngressRule>[]): string {
  const rulesWithHost = rules.flatMap(({ host }, i) => (host ? [{ host, i }] : []))
  const listed = rulesWithHost.slice(0, maxShownHosts)
  if (listed.length === 0) return '*'
  const text = listed.map(({ host }) => host).join(',')
  const last = listed[maxShownHosts - 1]
  // The number includes rules without a host that follow the last printed host.
  return last !== undefined && rules.length > last.i + 1 ? `${text} + ${rules.length - maxShownHosts} more...` : text
}

function formatAddresses({ ingress = [] }: DeepReadonly<IngressLoadBalancerStatus>): string {
  const text = [...new Set(ingress.map(({ ip, hostname }) => ip || hostname || ''))]
    .filter((address) => address !== '')
    .sort()
    .join(',')
  return text.length > maxAddressWidth ? `${text.slice(0, maxAddressWidth - 3)}...` : text
}
