import type { Container, Pod } from '@keelson/api/core/v1'
import { setPodSpecDefaults } from './pod-spec-defaults.ts'

/** Defaults that only a pod gets, not a template; then those of every pod spec. In place. */
export function setPodDefaults(pod: Pod): void {
  const spec = (pod.spec ??= { containers: [] })
  spec.enableServiceLinks ??= true
  const containers = [...(spec.containers ?? []), ...(spec.initContainers ?? [])]
  for (const container of containers) {
    requestWhatIsLimited(container)
    // With the host's network a container's port is the host's.
    if (spec.hostNetwork === true) for (const port of container.ports ?? []) port.hostPort ||= port.containerPort
  }
  setPodSpecDefaults(spec)
}

function requestWhatIsLimited(container: Container): void {
  const limits = container.resources?.limits
  if (limits === undefined || container.resources === undefined) return
  const requests = { ...container.resources.requests }
  for (const [name, limit] of Object.entries(limits)) requests[name] ??= limit
  container.resources.requests = Object.fromEntries(Object.entries(requests).sort(([a], [b]) => (a < b ? -1 : 1)))
}
