import type { ContainerPort } from '@keelson/api/core/v1'
import { quote } from '@keelson/apimachinery'
import type { DeepReadonly, FieldPath } from '@keelson/apimachinery'
import type { ContainerAt } from './visit-containers.ts'

interface PortAt {
  readonly port: DeepReadonly<ContainerPort>
  readonly path: FieldPath
}

/** Returns warnings about duplicate and ambiguous ports of a pod. */
export function findPortWarnings(containers: readonly ContainerAt[]): string[] {
  const ports = collectPorts(containers)
  if (ports.length < 2) return ports.flatMap(findAddressWarnings)
  const portsByKey = new Map<string, PortAt[]>()
  let collisions = 0
  const warnings = ports.flatMap((at) => {
    const { containerPort, protocol } = at.port
    const key = `${containerPort}/${protocol}`
    const before = portsByKey.get(key)
    if (before === undefined) portsByKey.set(key, [at])
    const warnings = before === undefined || collisions > maxCollisions ? [] : findCollisionWarnings(at, before)
    before?.push(at)
    collisions += warnings.length
    return [...findAddressWarnings(at), ...warnings]
  })
  return [...warnings, ...findNameWarnings(ports)]
}

function collectPorts(containers: readonly ContainerAt[]): PortAt[] {
  const ports: PortAt[] = []
  for (const { container, path } of containers) {
    if (container.ports === undefined) continue
    const at = path.child('ports')
    for (const [i, port] of container.ports.entries()) ports.push({ port, path: at.index(i) })
  }
  return ports
}

/**
 * Maximum number of warnings about equal ports. Their number grows quadratically with the number of ports, and more would not fit into
 * response headers.
 */
const maxCollisions = 1000

function findAddressWarnings({ port, path }: PortAt): string[] {
  if (!port.hostIP || port.hostPort) return []
  const { name = '', containerPort, protocol = '', hostIP } = port
  const printed = `{Name:${name} HostPort:0 ContainerPort:${containerPort} Protocol:${protocol} HostIP:${hostIP}}`
  return [`${path}: hostIP set without hostPort: ${printed}`]
}

/** Returns warnings about a port that collides with a preceding port of the same number and protocol. */
function findCollisionWarnings({ port, path }: PortAt, before: readonly PortAt[]): string[] {
  const { hostIP = '', hostPort = 0 } = port
  return before.flatMap(({ port: other, path: otherPath }) => {
    const { hostIP: otherIP = '', hostPort: otherPort = 0 } = other
    const formatPortWarning = (problem: string): string[] => [`${path}: ${problem} port definition with ${otherPath}`]
    if (hostIP === otherIP && hostPort === otherPort) return formatPortWarning('duplicate')
    if (hostPort === 0 || otherPort === 0) return formatPortWarning('overlapping')
    return hostPort === otherPort && (hostIP === '') !== (otherIP === '') ? formatPortWarning('dangerously ambiguous') : []
  })
}

function findNameWarnings(ports: readonly PortAt[]): string[] {
  const first = new Map<string, FieldPath>()
  return ports.flatMap(({ port: { name = '' }, path }) => {
    const other = first.get(name)
    if (name === '') return []
    if (other === undefined) {
      first.set(name, path)
      return []
    }
    const effect = `services and probes that select ports by name will use ${other}`
    return [`${path}: duplicate port name ${quote(name)} with ${other}, ${effect}`]
  })
}
