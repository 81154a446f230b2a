import type { Service, ServiceSpec } from '@keelson/api/core/v1'
import type { DeepReadonly } from '@keelson/apimachinery'

export type ReadonlyService = DeepReadonly<Service>
export type ReadonlySpec = DeepReadonly<ServiceSpec>

export const noClusterIP = 'None'
const emptySpec: ReadonlySpec = {}

export function getSpec(service: ReadonlyService): ReadonlySpec {
  return service.spec ?? emptySpec
}

/** Returns whether the service can be reached from outside the cluster. */
export function isExternallyAccessible({ type, externalIPs = [] }: ReadonlySpec): boolean {
  return type === 'LoadBalancer' || type === 'NodePort' || (type === 'ClusterIP' && externalIPs.length > 0)
}

/** Returns whether load balancers must probe nodes on a health check port, because traffic only goes to nodes with endpoints. */
export function needsHealthCheck({ type, externalTrafficPolicy }: ReadonlySpec): boolean {
  return type === 'LoadBalancer' && externalTrafficPolicy === 'Local'
}

/** Returns whether the service is headless: its cluster IP is "None". */
export function isHeadless({ clusterIPs = [] }: ReadonlySpec): boolean {
  return clusterIPs.length === 1 && clusterIPs[0] === noClusterIP
}

export function needsClusterIP({ type }: ReadonlySpec): boolean {
  return type !== 'ExternalName'
}

/** Returns whether the ports of the service are open on every node. */
export function opensNodePorts({ type }: ReadonlySpec): boolean {
  return type === 'NodePort' || type === 'LoadBalancer'
}

/** Returns whether the server allocates node ports for ports that have none. */
export function allocatesNodePorts({ type, allocateLoadBalancerNodePorts = true }: ReadonlySpec): boolean {
  return type === 'NodePort' || (type === 'LoadBalancer' && allocateLoadBalancerNodePorts)
}

export function getNodePorts({ ports = [] }: ReadonlySpec): number[] {
  return ports.flatMap(({ nodePort = 0 }) => (nodePort === 0 ? [] : [nodePort]))
}

/** Returns the allocated addresses and node ports of the service. A delete releases them. */
export function getAllocatedValues(service: ReadonlyService): { readonly ips: readonly string[]; readonly ports: readonly number[] } {
  const spec = getSpec(service)
  const { healthCheckNodePort = 0 } = spec
  return {
    ips: spec.type === 'ExternalName' ? [] : (spec.clusterIPs ?? []).filter((ip) => ip !== '' && ip !== noClusterIP),
    ports: needsHealthCheck(spec) && healthCheckNodePort !== 0 ? [...getNodePorts(spec), healthCheckNodePort] : getNodePorts(spec),
  }
}

export function hasEqualItems(a: readonly string[] = [], b: readonly string[] = []): boolean {
  return a.length === b.length && a.every((value, i) => value === b[i])
}
