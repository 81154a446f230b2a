import { aggregateContainers } from '@keelson/api'
import type { Container, ContainerStatus, Pod, PodSpec } from '@keelson/api/core/v1'
import { setPodSpecDefaults } from '../pod-spec/pod-spec-defaults.ts'
import { isHugePages, isOvercommitAllowed, isPodLevelResource } from '../pod-spec/resource-names.ts'
import { roundUpToMilli } from '../pod-spec/resource-quantities.ts'

/** Sets the defaults of a pod: first those that templates do not have, then those of every pod spec. Mutates the pod. */
export function setPodDefaults(pod: Pod): void {
  const spec = (pod.spec ??= { containers: null })
  for (const container of [...(spec.containers ?? []), ...(spec.initContainers ?? [])]) {
    defaultRequestsToLimits(container)
    if (spec.hostNetwork === true) defaultHostPorts(container)
  }
  setPodResourceDefaults(spec)
  spec.enableServiceLinks ??= true
  setPodSpecDefaults(spec)
  setStatusDefaults(pod)
}

/** Sets the host ports of a container in the host network to its container ports. A port without a number gets none, because it is omitted when empty. */
function defaultHostPorts({ ports }: Container): void {
  for (const port of ports ?? []) if (port.containerPort !== 0) port.hostPort ||= port.containerPort
}

function defaultRequestsToLimits(container: Container): void {
  const { resources } = container
  if (resources?.limits !== undefined) resources.requests = sortByName({ ...resources.limits, ...resources.requests })
}

/**
 * Sets defaults of pod-level resources. Requests default to the sum of the containers' requests, or to the pod-level limits. Limits of huge
 * pages default to the sum of the containers' limits.
 */
function setPodResourceDefaults(spec: PodSpec): void {
  const { resources } = spec
  if (resources === undefined) return
  const { requests = {}, limits = {} } = resources
  if (Object.keys({ ...limits, ...requests }).length === 0) return
  const newLimits = { ...limits }
  for (const [name, quantity] of aggregateContainers(spec, 'limits')) {
    if (isHugePages(name) && requests[name] === undefined) newLimits[name] ??= quantity.toString()
  }
  if (Object.keys(newLimits).length === 0) return
  resources.limits = sortByName(newLimits)
  const newRequests = { ...requests }
  for (const [name, quantity] of aggregateContainers(spec, 'requests')) {
    if (isPodLevelResource(name) && isOvercommitAllowed(name)) newRequests[name] ??= quantity.toString()
  }
  for (const [name, limit] of Object.entries(newLimits)) if (isPodLevelResource(name)) newRequests[name] ??= limit
  if (Object.keys(newRequests).length > 0) resources.requests = sortByName(newRequests)
}

function sortByName(list: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(list).sort(([a], [b]) => (a < b ? -1 : 1)))
}

function setStatusDefaults({ status }: Pod): void {
  if (status === undefined) return
  const containers: readonly ContainerStatus[] = [
    ...(status.initContainerStatuses ?? []),
    ...(status.containerStatuses ?? []),
    ...(status.ephemeralContainerStatuses ?? []),
  ]
  for (const { allocatedResources, resources } of [...containers, status]) {
    roundUpToMilli(allocatedResources)
    roundUpToMilli(resources?.limits)
    roundUpToMilli(resources?.requests)
  }
}
