import type { Service, ServiceSpec } from '@keelson/api/core/v1'
import type { DeepReadonly } from '@keelson/apimachinery'

export type ReadonlyService = DeepReadonly<Service>
export type ReadonlySpec = DeepReadonly<ServiceSpec>

export const noClusterIP = 'None'
const nothing: ReadonlySpec = {}

export function specOf(service: ReadonlyService): ReadonlySpec {
  return service.spec ?? nothing
}

/** Reached from outside the cluster. */
export function externallyAccessible({ type, externalIPs = [] }: ReadonlySpec): boolean {
  return type === 'LoadBalancer' || type === 'NodePort' || (type === 'ClusterIP' && externalIPs.length > 0)
}

/** Load balancers that must not send traffic to nodes without endpoints ask each node on a port of its own. */
export function needsHealthCheck({ type, externalTrafficPolicy }: ReadonlySpec): boolean {
  return type === 'LoadBalancer' && externalTrafficPolicy === 'Local'
}

/** Explicitly without an address, whatever its type says. */
export function isHeadless({ clusterIPs = [] }: ReadonlySpec): boolean {
  return clusterIPs.length === 1 && clusterIPs[0] === noClusterIP
}

export function needsClusterIP({ type }: ReadonlySpec): boolean {
  return type !== 'ExternalName'
}

/** Of a type whose ports are open on every node. */
export function opensNodePorts({ type }: ReadonlySpec): boolean {
  return type === 'NodePort' || type === 'LoadBalancer'
}

/** Ports that ask for no number get one. */
export function allocatesNodePorts({ type, allocateLoadBalancerNodePorts = true }: ReadonlySpec): boolean {
  return type === 'NodePort' || (type === 'LoadBalancer' && allocateLoadBalancerNodePorts)
}

export function nodePortsOf({ ports = [] }: ReadonlySpec): number[] {
  return ports.flatMap(({ nodePort = 0 }) => (nodePort === 0 ? [] : [nodePort]))
}

/** What it has been given, and must give back. */
export function takenBy(service: ReadonlyService): { readonly ips: readonly string[]; readonly ports: readonly number[] } {
  const spec = specOf(service)
  const { healthCheckNodePort = 0 } = spec
  return {
    ips: spec.type === 'ExternalName' ? [] : (spec.clusterIPs ?? []).filter((ip) => ip !== '' && ip !== noClusterIP),
    ports: needsHealthCheck(spec) && healthCheckNodePort !== 0 ? [...nodePortsOf(spec), healthCheckNodePort] : nodePortsOf(spec),
  }
}

export function sameList(a: readonly string[] = [], b: readonly string[] = []): boolean {
  return a.length === b.length && a.every((value, i) => value === b[i])
}
