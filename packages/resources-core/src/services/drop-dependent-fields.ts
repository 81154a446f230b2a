import type { Service } from '@keelson/api/core/v1'
import { externallyAccessible, needsClusterIP, needsHealthCheck, nodePortsOf, opensNodePorts, sameList, specOf } from './service-facts.ts'
import type { ReadonlyService } from './service-facts.ts'

/**
 * A service that changes its type sheds what its new type has no use for, if the client left it as it was: most of it was filled in by the
 * server. What the client changed as well stays, for validation to refuse.
 */
export function dropDependentFields(service: Service, oldService: ReadonlyService): void {
  const spec = (service.spec ??= {})
  const old = specOf(oldService)
  if (needsClusterIP(old) && !needsClusterIP(spec)) {
    if ((old.clusterIP ?? '') === (spec.clusterIP ?? '') && sameList(old.clusterIPs, spec.clusterIPs)) {
      delete spec.clusterIP
      delete spec.clusterIPs
    }
    if (sameList(old.ipFamilies, spec.ipFamilies)) delete spec.ipFamilies
    if ((old.ipFamilyPolicy ?? '') === (spec.ipFamilyPolicy ?? '')) delete spec.ipFamilyPolicy
  }
  if (opensNodePorts(old) && !opensNodePorts(spec)) {
    const known = new Set(nodePortsOf(old))
    if (nodePortsOf(spec).every((port) => known.has(port))) for (const port of spec.ports ?? []) delete port.nodePort
  }
  if (needsHealthCheck(old) && !needsHealthCheck(spec) && (old.healthCheckNodePort ?? 0) === (spec.healthCheckNodePort ?? 0)) {
    delete spec.healthCheckNodePort
  }
  if (old.type === 'LoadBalancer' && spec.type !== 'LoadBalancer') {
    if (old.allocateLoadBalancerNodePorts === spec.allocateLoadBalancerNodePorts) delete spec.allocateLoadBalancerNodePorts
    if (old.loadBalancerClass === spec.loadBalancerClass) delete spec.loadBalancerClass
  }
  if (
    externallyAccessible(old) &&
    !externallyAccessible(spec) &&
    (old.externalTrafficPolicy ?? '') === (spec.externalTrafficPolicy ?? '')
  ) {
    delete spec.externalTrafficPolicy
  }
  if (spec.type !== 'LoadBalancer') service.status = { ...service.status, loadBalancer: {} }
}
