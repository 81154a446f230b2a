import type { Service } from '@keelson/api/core/v1'
import { nameIsDNSLabel } from '@keelson/apimachinery'
import { defineResource } from '@keelson/registry'
import type { ResourceDefinition } from '@keelson/registry'
import { serviceColumns } from './columns.ts'
import { serviceQuota } from './quota.ts'
import { getSpec, isExternallyAccessible } from './service-facts.ts'
import { serviceStatus, serviceStrategy } from './strategy.ts'

/**
 * The definition of services. `createServiceHooks` allocates addresses and node ports. Without these hooks, services are stored with the
 * values that clients send.
 */
export const services: ResourceDefinition<Service> = defineResource<Service>({
  group: '',
  version: 'v1',
  kind: 'Service',
  plural: 'services',
  storage: { prefix: 'services/specs' },
  scope: 'Namespaced',
  shortNames: ['svc'],
  categories: ['all'],
  returnsDeletedObject: true,
  quota: serviceQuota,
  setDefaults: setServiceDefaults,
  strategy: serviceStrategy,
  validateName: nameIsDNSLabel,
  selectableFields: {
    'spec.clusterIP': (service) => getSpec(service).clusterIP ?? '',
    'spec.type': (service) => getSpec(service).type ?? '',
  },
  columns: serviceColumns,
  subresources: { status: serviceStatus },
})

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
