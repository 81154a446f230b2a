import type { Service } from '@keelson/api/core/v1'
import { allocatesNodePorts, needsClusterIP, needsHealthCheck, getNodePorts, hasEqualItems, getSpec } from '@keelson/resources-core'
import type { ReadonlyService } from '@keelson/resources-core'

/** Restores allocated values that the client omits, for example when it applies its manifest again. Mutates `service`. */
export function keepAllocatedValues(service: Service, old: ReadonlyService): void {
  const spec = service.spec!
  const oldSpec = getSpec(old)
  if (needsClusterIP(oldSpec) && needsClusterIP(spec)) {
    if (!spec.clusterIP && oldSpec.clusterIP) spec.clusterIP = oldSpec.clusterIP
    if ((spec.clusterIPs ?? []).length === 0 && oldSpec.clusterIPs?.length) spec.clusterIPs = [...oldSpec.clusterIPs]
  }
  if (allocatesNodePorts(oldSpec) && allocatesNodePorts(spec)) keepNodePorts(spec, oldSpec)
  if (needsHealthCheck(oldSpec) && needsHealthCheck(spec) && !spec.healthCheckNodePort && oldSpec.healthCheckNodePort) {
    spec.healthCheckNodePort = oldSpec.healthCheckNodePort
  }
}

/** Restores node ports by port name, except those that another port of the new spec requests. */
function keepNodePorts(spec: NonNullable<Service['spec']>, before: ReturnType<typeof getSpec>): void {
  const requested = new Set(getNodePorts(spec))
  const used = new Set(getNodePorts(before).filter((port) => requested.has(port)))
  const byName = new Map((before.ports ?? []).map(({ name = '', nodePort = 0 }) => [name, nodePort]))
  for (const port of spec.ports ?? []) {
    const oldNodePort = byName.get(port.name ?? '') ?? 0
    if (!port.nodePort && oldNodePort !== 0 && !used.has(oldNodePort)) port.nodePort = oldNodePort
  }
}

/** Updates `clusterIPs` for clients that set only `clusterIP`. If both were set, validation checks them. Mutates `service`. */
export function syncClusterIPs(service: Service, old: ReadonlyService | undefined): void {
  const spec = service.spec!
  const { clusterIP = '', clusterIPs = [] } = spec
  if (old === undefined) {
    if (clusterIP !== '' && clusterIPs.length === 0) spec.clusterIPs = [clusterIP]
    return
  }
  const { clusterIP: oldIP = '', clusterIPs: oldIPs = [] } = getSpec(old)
  if (clusterIP === oldIP) {
    if (clusterIPs.length === 0 && oldIPs.length > 0) spec.clusterIPs = [...oldIPs]
    return
  }
  if (!hasEqualItems(oldIPs, clusterIPs)) return
  if (clusterIP === '') delete spec.clusterIPs
  else spec.clusterIPs = [clusterIP]
}
