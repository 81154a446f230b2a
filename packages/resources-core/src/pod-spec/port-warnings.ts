import type { ContainerPort } from '@keelson/api/core/v1'
import { quote } from '@keelson/apimachinery'
import type { DeepReadonly, FieldPath } from '@keelson/apimachinery'
import type { ContainerAt } from './visit-containers.ts'

interface PortAt {
  readonly port: DeepReadonly<ContainerPort>
  readonly path: FieldPath
}

/** Ports that a pod has twice, or that leave open which is meant. */
export function portWarnings(containers: readonly ContainerAt[]): string[] {
  const ports = containers.flatMap(({ container, path }) =>
    (container.ports ?? []).map((port, i): PortAt => ({ port, path: path.child('ports').index(i) })),
  )
  return [...ports.flatMap((at, i) => [...addressWarnings(at), ...collisionWarnings(at, ports.slice(0, i))]), ...nameWarnings(ports)]
}

function addressWarnings({ port, path }: PortAt): string[] {
  if (!port.hostIP || port.hostPort) return []
  const { name = '', containerPort, protocol = '', hostIP } = port
  const printed = `{Name:${name} HostPort:0 ContainerPort:${containerPort} Protocol:${protocol} HostIP:${hostIP}}`
  return [`${path}: hostIP set without hostPort: ${printed}`]
}

function collisionWarnings({ port, path }: PortAt, before: readonly PortAt[]): string[] {
  const { hostIP = '', hostPort = 0 } = port
  const others = before.filter(({ port: other }) => other.containerPort === port.containerPort && other.protocol === port.protocol)
  return others.flatMap(({ port: other, path: otherPath }) => {
    const { hostIP: otherIP = '', hostPort: otherPort = 0 } = other
    const warning = (what: string): string[] => [`${path}: ${what} port definition with ${otherPath}`]
    if (hostIP === otherIP && hostPort === otherPort) return warning('duplicate')
    if (hostPort === 0 || otherPort === 0) return warning('overlapping')
    return hostPort === otherPort && (hostIP === '') !== (otherIP === '') ? warning('dangerously ambiguous') : []
  })
}

function nameWarnings(ports: readonly PortAt[]): string[] {
  const first = new Map<string, FieldPath>()
  return ports.flatMap(({ port: { name = '' }, path }) => {
    const other = first.get(name)
    if (name === '') return []
    if (other === undefined) {
      first.set(name, path)
      return []
    }
    const consequence = `services and probes that select ports by name will use ${other}`
    return [`${path}: duplicate port name ${quote(name)} with ${other}, ${consequence}`]
  })
}
