import type { Ingress, IngressLoadBalancerStatus, IngressRule } from '@keelson/api/networking/v1'
import type { DeepReadonly } from '@keelson/apimachinery'
import type { Column } from '@keelson/registry'

const shownHosts = 3
const addressWidth = 16

export const ingressColumns: readonly Column<Ingress>[] = [
  { name: 'Class', description: 'Which controller serves it.', value: ({ spec }) => spec?.ingressClassName ?? '<none>' },
  { name: 'Hosts', description: 'The hosts that its rules are for.', value: ({ spec }) => hosts(spec?.rules ?? []) },
  { name: 'Address', description: 'Where it can be reached.', value: ({ status }) => addresses(status?.loadBalancer ?? {}) },
  { name: 'Ports', description: 'The ports it listens on.', value: ({ spec }) => ((spec?.tls ?? []).length > 0 ? '80, 443' : '80') },
]

function hosts(rules: readonly DeepReadonly<IngressRule>[]): string {
  const named = rules.flatMap(({ host }, i) => (host ? [{ host, i }] : []))
  const listed = named.slice(0, shownHosts)
  if (listed.length === 0) return '*'
  const text = listed.map(({ host }) => host).join(',')
  const last = listed[shownHosts - 1]
  // Rules behind the last one shown count, with a host or without.
  return last !== undefined && rules.length > last.i + 1 ? `${text} + ${rules.length - shownHosts} more...` : text
}

function addresses({ ingress = [] }: DeepReadonly<IngressLoadBalancerStatus>): string {
  const text = [...new Set(ingress.map(({ ip, hostname }) => ip || hostname || ''))]
    .filter((address) => address !== '')
    .sort()
    .join(',')
  return text.length > addressWidth ? `${text.slice(0, addressWidth - 3)}...` : text
}
