import { appendAll, newFieldPath } from '@keelson/apimachinery'
import { findCidrWarnings } from '../cidr.ts'
import { findIPWarnings } from '../ip-address.ts'
import { noClusterIP, getSpec } from './service-facts.ts'
import type { ReadonlyService } from './service-facts.ts'

const specPath = newFieldPath('spec')
const topologyHints = 'service.kubernetes.io/topology-aware-hints'
const topologyMode = 'service.kubernetes.io/topology-mode'

/** Returns warnings about deprecated fields and about fields that have no effect. */
export function findServiceWarnings(service: ReadonlyService): readonly string[] {
  const spec = getSpec(service)
  const { type, clusterIP = '', externalIPs = [], loadBalancerIP = '', loadBalancerSourceRanges: ranges = [] } = spec
  const isHeadlessService = type === 'ClusterIP' && clusterIP === noClusterIP
  const warnings: string[] = []
  if (service.metadata.annotations?.[topologyHints] !== undefined) {
    warnings.push(`annotation ${topologyHints} is deprecated, please use ${topologyMode} instead`)
  }
  if (clusterIP !== '' && clusterIP !== noClusterIP) {
    appendAll(
      warnings,
      (spec.clusterIPs ?? []).flatMap((ip, i) => findIPWarnings(ip, specPath.child('clusterIPs').index(i))),
    )
  }
  if (isHeadlessService) {
    if (loadBalancerIP !== '') warnings.push('spec.loadBalancerIP is ignored for headless services')
    if (externalIPs.length > 0) warnings.push('spec.externalIPs is ignored for headless services')
    if (spec.sessionAffinity !== 'None') warnings.push('spec.SessionAffinity is ignored for headless services')
  }
  appendAll(
    warnings,
    externalIPs.flatMap((ip, i) => findIPWarnings(ip, specPath.child('externalIPs').index(i))),
  )
  if (externalIPs.length > 0 && !isHeadlessService && type !== 'ExternalName') {
    warnings.push('spec.externalIPs is deprecated and may no longer be implemented in some clusters')
  }
  if (loadBalancerIP !== '') appendAll(warnings, findIPWarnings(loadBalancerIP, specPath.child('loadBalancerIP')))
  appendAll(
    warnings,
    ranges.flatMap((range, i) => findCidrWarnings(range, specPath.child('loadBalancerSourceRanges').index(i))),
  )
  if (type === 'ExternalName' && externalIPs.length > 0) warnings.push('spec.externalIPs is ignored when spec.type is "ExternalName"')
  if (type !== 'ExternalName' && spec.externalName) warnings.push('spec.externalName is ignored when spec.type is not "ExternalName"')
  if (spec.trafficDistribution === 'PreferClose') {
    warnings.push('spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"')
  }
  return warnings
}

export function findStatusWarnings(service: ReadonlyService): readonly string[] {
  const path = newFieldPath('status', 'loadBalancer', 'ingress')
  return (service.status?.loadBalancer?.ingress ?? []).flatMap(({ ip }, i) => (ip ? findIPWarnings(ip, path.index(i)) : []))
}
