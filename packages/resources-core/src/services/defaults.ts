import type { Service } from '@keelson/api/core/v1'
import { isExternallyAccessible } from './service-facts.ts'

const defaultAffinitySeconds = 10_800

export function setServiceDefaults(service: Service): void {
  const spec = (service.spec ??= {})
  spec.sessionAffinity ||= 'None'
  if (spec.sessionAffinity === 'None') delete spec.sessionAffinityConfig
  if (spec.sessionAffinity === 'ClientIP' && spec.sessionAffinityConfig?.clientIP?.timeoutSeconds === undefined) {
    spec.sessionAffinityConfig = { clientIP: { timeoutSeconds: defaultAffinitySeconds } }
  }
  spec.type ||= 'ClusterIP'
  for (const port of spec.ports ?? []) {
    port.protocol ||= 'TCP'
    port.targetPort ||= port.port ?? 0
  }
  if (isExternallyAccessible(spec)) spec.externalTrafficPolicy ||= 'Cluster'
  if (['ClusterIP', 'NodePort', 'LoadBalancer'].includes(spec.type)) spec.internalTrafficPolicy ??= 'Cluster'
  if (spec.type !== 'LoadBalancer') return
  spec.allocateLoadBalancerNodePorts ??= true
  for (const ingress of service.status?.loadBalancer?.ingress ?? []) if (ingress.ip) ingress.ipMode ??= 'VIP'
}
