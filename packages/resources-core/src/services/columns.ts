import type { Service } from '@keelson/api/core/v1'
import type { Column } from '@keelson/registry'
import { formatLabels } from '../format-labels.ts'
import { getSpec } from './service-facts.ts'
import type { ReadonlyService, ReadonlySpec } from './service-facts.ts'

export const serviceColumns: readonly Column<Service>[] = [
  { name: 'Type', description: 'Type of the service.', value: (service) => getSpec(service).type ?? '' },
  { name: 'Cluster-IP', description: 'Address inside the cluster.', value: (service) => getSpec(service).clusterIPs?.[0] ?? '<none>' },
  { name: 'External-IP', description: 'Addresses outside the cluster.', value: formatExternalAddress },
  { name: 'Port(s)', description: 'Ports as port/protocol or port:nodePort/protocol.', value: (service) => formatPorts(getSpec(service)) },
  {
    name: 'Selector',
    priority: 1,
    description: 'Label selector of its pods.',
    value: (service) => formatLabels(getSpec(service).selector),
  },
]

function formatExternalAddress(service: ReadonlyService): string {
  const { type, externalIPs = [], externalName = '' } = getSpec(service)
  switch (type) {
    case 'ClusterIP':
    case 'NodePort':
      return externalIPs.join(',') || '<none>'
    case 'LoadBalancer':
      return [...collectBalancerAddresses(service), ...externalIPs].join(',') || '<pending>'
    case 'ExternalName':
      return externalName
    default:
      return '<unknown>'
  }
}

function collectBalancerAddresses({ status }: ReadonlyService): string[] {
  const addresses = (status?.loadBalancer?.ingress ?? []).map(({ ip, hostname }) => ip || hostname || '')
  return [...new Set(addresses)].filter((address) => address !== '').sort()
}

function formatPorts({ ports = [] }: ReadonlySpec): string {
  const texts = ports.map(({ port, nodePort = 0, protocol = '' }) => `${port}${nodePort > 0 ? `:${nodePort}` : ''}/${protocol}`)
  return texts.join(',') || '<none>'
}
