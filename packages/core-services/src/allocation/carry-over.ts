import type { Service } from '@keelson/api/core/v1'
import { allocatesNodePorts, needsClusterIP, needsHealthCheck, nodePortsOf, equalLists, specOf } from '@keelson/resources-core'
import type { ReadonlyService } from '@keelson/resources-core'

/** What the server chose once is kept when a client writes its own text again, which knows nothing of it. */
export function carryOver(service: Service, old: ReadonlyService): void {
  const spec = service.spec!
  const before = specOf(old)
  if (needsClusterIP(before) && needsClusterIP(spec)) {
    if (!spec.clusterIP && before.clusterIP) spec.clusterIP = before.clusterIP
    if ((spec.clusterIPs ?? []).length === 0 && before.clusterIPs?.length) spec.clusterIPs = [...before.clusterIPs]
  }
  if (allocatesNodePorts(before) && allocatesNodePorts(spec)) carryNodePorts(spec, before)
  if (needsHealthCheck(before) && needsHealthCheck(spec) && !spec.healthCheckNodePort && before.healthCheckNodePort) {
    spec.healthCheckNodePort = before.healthCheckNodePort
  }
}

/** By the port's name; never one that another port of the new state asks for already. */
function carryNodePorts(spec: NonNullable<Service['spec']>, before: ReturnType<typeof specOf>): void {
  const asked = new Set(nodePortsOf(spec))
  const used = new Set(nodePortsOf(before).filter((port) => asked.has(port)))
  const byName = new Map((before.ports ?? []).map(({ name = '', nodePort = 0 }) => [name, nodePort]))
  for (const port of spec.ports ?? []) {
    const known = byName.get(port.name ?? '') ?? 0
    if (!port.nodePort && known !== 0 && !used.has(known)) port.nodePort = known
  }
}

/** Clients that know only `clusterIP` get `clusterIPs` to match. Where both were set, validation has the word. */
export function syncClusterIPs(service: Service, old: ReadonlyService | undefined): void {
  const spec = service.spec!
  const { clusterIP = '', clusterIPs = [] } = spec
  if (old === undefined) {
    if (clusterIP !== '' && clusterIPs.length === 0) spec.clusterIPs = [clusterIP]
    return
  }
  const { clusterIP: oldIP = '', clusterIPs: oldIPs = [] } = specOf(old)
  if (clusterIP === oldIP) {
    if (clusterIPs.length === 0 && oldIPs.length > 0) spec.clusterIPs = [...oldIPs]
    return
  }
  if (!equalLists(oldIPs, clusterIPs)) return
  if (clusterIP === '') delete spec.clusterIPs
  else spec.clusterIPs = [clusterIP]
}
