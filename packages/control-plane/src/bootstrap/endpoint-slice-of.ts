import type { EndpointAddress, Endpoints } from '@keelson/api/core/v1'
import type { EndpointSlice } from '@keelson/api/discovery/v1'
import type { DeepReadonly } from '@keelson/apimachinery'
import { isIPv6 } from 'node:net'

/**
 * Converts an Endpoints object with a single subset to an EndpointSlice. The mirroring controller skips the kubernetes service, so the
 * server writes the slice itself.
 */
export function toEndpointSlice({ metadata, subsets }: DeepReadonly<Endpoints>): EndpointSlice {
  const { name = '', namespace = '' } = metadata
  const subset = subsets?.[0] ?? {}
  const { addresses = [], notReadyAddresses = [], ports = [] } = subset
  const allAddresses = [...addresses, ...notReadyAddresses]
  const isV6 = allAddresses.length > 0 && allAddresses.every(({ ip }) => isIPv6(ip))
  const createEndpoints = (list: readonly DeepReadonly<EndpointAddress>[], ready: boolean): EndpointSlice['endpoints'] & object =>
    list.filter(({ ip }) => isIPv6(ip) === isV6).map(({ ip }) => ({ addresses: [ip], conditions: { ready } }))
  return {
    metadata: { name, namespace, labels: { 'kubernetes.io/service-name': name } },
    addressType: isV6 ? 'IPv6' : 'IPv4',
    endpoints: [...createEndpoints(addresses, true), ...createEndpoints(notReadyAddresses, false)],
    ports: ports.map(({ name: portName = '', port, protocol = 'TCP' }) => ({ name: portName, port, protocol })),
  }
}
