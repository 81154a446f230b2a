import type { Service } from '@keelson/api/core/v1'
import type { Column } from '@keelson/registry'
import { labelsText } from '../labels-text.ts'
import { specOf } from './service-facts.ts'
import type { ReadonlyService, ReadonlySpec } from './service-facts.ts'

export const serviceColumns: readonly Column<Service>[] = [
  { name: 'Type', description: 'How the service can be reached.', value: (service) => specOf(service).type ?? '' },
  { name: 'Cluster-IP', description: 'Its address inside the cluster.', value: (service) => specOf(service).clusterIPs?.[0] ?? '<none>' },
  { name: 'External-IP', description: 'Its addresses outside the cluster.', value: externalAddress },
  { name: 'Port(s)', description: 'PORT/PROTOCOL, or PORT:NODEPORT/PROTOCOL.', value: (service) => portsText(specOf(service)) },
  {
    name: 'Selector',
    priority: 1,
    description: 'The labels of the pods behind it.',
    value: (service) => labelsText(specOf(service).selector),
  },
]

function externalAddress(service: ReadonlyService): string {
  const { type, externalIPs = [], externalName = '' } = specOf(service)
  switch (type) {
    case 'ClusterIP':
    case 'NodePort':
      return externalIPs.join(',') || '<none>'
    case 'LoadBalancer':
      return [...balancerAddresses(service), ...externalIPs].join(',') || '<pending>'
    case 'ExternalName':
      return externalName
    default:
      return '<unknown>'
  }
}

function balancerAddresses({ status }: ReadonlyService): string[] {
  const addresses = (status?.loadBalancer?.ingress ?? []).map(({ ip, hostname }) => ip || hostname || '')
  return [...new Set(addresses)].filter((address) => address !== '').sort()
}

function portsText({ ports = [] }: ReadonlySpec): string {
  const texts = ports.map(({ port, nodePort = 0, protocol = '' }) => `${port}${nodePort > 0 ? `:${nodePort}` : ''}/${protocol}`)
  return texts.join(',') || '<none>'
}
