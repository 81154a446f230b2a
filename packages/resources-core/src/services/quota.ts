import type { Service } from '@keelson/api/core/v1'
import { parseQuantity } from '@keelson/apimachinery'
import type { DeepReadonly } from '@keelson/apimachinery'
import type { QuotaRules } from '@keelson/registry'

const names = ['count/services', 'services', 'services.nodeports', 'services.loadbalancers'] as const

/** Quota rules of services. Updates are checked too, because a change of the type changes the usage. */
export const serviceQuota: QuotaRules<Service> = {
  isCharged: ({ operation, subresource }) => subresource === '' && (operation === 'CREATE' || operation === 'UPDATE'),
  isLimitedBy: (limit) => (names as readonly string[]).includes(limit),
  computeUsage({ spec }) {
    const isBalanced = spec?.type === 'LoadBalancer'
    const amounts = [1, 1, countNodePorts(spec), isBalanced ? 1 : 0]
    return new Map(names.map((name, i) => [name, parseQuantity(String(amounts[i]))]))
  },
}

/** Counts the node ports of a service. Includes ports for which the server has not allocated a node port yet. */
function countNodePorts(spec: DeepReadonly<Service>['spec']): number {
  const ports = spec?.ports ?? []
  if (spec?.type === 'NodePort') return ports.length
  if (spec?.type !== 'LoadBalancer') return 0
  return spec.allocateLoadBalancerNodePorts === false ? ports.filter(({ nodePort = 0 }) => nodePort !== 0).length : ports.length
}
