import type { Service } from '@keelson/api/core/v1'
import {
  isExternallyAccessible,
  needsClusterIP,
  needsHealthCheck,
  getNodePorts,
  opensNodePorts,
  hasEqualItems,
  getSpec,
} from './service-facts.ts'
import type { ReadonlyService } from './service-facts.ts'

/**
 * Drops fields that the new type of a service does not support. Drops only fields that the client did not change, because the server has
 * set most of them. Validation rejects the others. Mutates `service`.
 */
export function dropDependentFields(service: Service, oldService: ReadonlyService): void {
  const spec = (service.spec ??= {})
  const old = getSpec(oldService)
  if (needsClusterIP(old) && !needsClusterIP(spec)) {
    if ((old.clusterIP ?? '') === (spec.clusterIP ?? '') && hasEqualItems(old.clusterIPs, spec.clusterIPs)) {
      delete spec.clusterIP
      delete spec.clusterIPs
    }
    if (hasEqualItems(old.ipFamilies, spec.ipFamilies)) delete spec.ipFamilies
    if ((old.ipFamilyPolicy ?? '') === (spec.ipFamilyPolicy ?? '')) delete spec.ipFamilyPolicy
  }
  if (opensNodePorts(old) && !opensNodePorts(spec)) {
    const oldPorts = new Set(getNodePorts(old))
    if (getNodePorts(spec).every((port) => oldPorts.has(port))) for (const port of spec.ports ?? []) delete port.nodePort
  }
  if (needsHealthCheck(old) && !needsHealthCheck(spec) && (old.healthCheckNodePort ?? 0) === (spec.healthCheckNodePort ?? 0)) {
    delete spec.healthCheckNodePort
  }
  if (old.type === 'LoadBalancer' && spec.type !== 'LoadBalancer') {
    if (old.allocateLoadBalancerNodePorts === spec.allocateLoadBalancerNodePorts) delete spec.allocateLoadBalancerNodePorts
    if (old.loadBalancerClass === spec.loadBalancerClass) delete spec.loadBalancerClass
  }
  if (
    isExternallyAccessible(old) &&
    !isExternallyAccessible(spec) &&
    (old.externalTrafficPolicy ?? '') === (spec.externalTrafficPolicy ?? '')
  ) {
    delete spec.externalTrafficPolicy
  }
  if (spec.type !== 'LoadBalancer') service.status = { ...service.status, loadBalancer: {} }
}
