import type { ServicePort } from '@keelson/api/core/v1'
import {
  fieldError,
  newFieldPath,
  isDNS1123Label,
  isQualifiedName,
  isValidPortName,
  isValidPortNum,
  quote,
  createVerbatimValue,
} from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import type { ReadonlySpec } from './service-facts.ts'

const portsPath = newFieldPath('spec', 'ports')
const protocols = ['SCTP', 'TCP', 'UDP']

/**
 * Validates the ports of a service. With `each`, validates each port. With `together`, reports conflicts between ports, which upstream
 * reports later.
 */
export function validatePorts({ ports = [], type }: ReadonlySpec, rules: 'each' | 'together'): FieldErrorList {
  if (rules === 'together')
    return [...forbidNodePortsOfClusterIP(ports, type), ...validateUniqueNodePorts(ports), ...validateUniquePorts(ports)]
  const names = new Set<string>()
  return ports.flatMap((port, i) => [
    ...validateName(port, ports.length > 1, names, portsPath.index(i)),
    ...validatePort(port, portsPath.index(i)),
  ])
}

type Port = DeepReadonly<ServicePort>

function validateName({ name = '' }: Port, required: boolean, names: Set<string>, path: FieldPath): FieldErrorList {
  const namePath = path.child('name')
  if (name === '') return required ? [fieldError.required(namePath)] : []
  const errors = isDNS1123Label(name).map((message) => fieldError.invalid(namePath, name, message))
  if (names.has(name)) errors.push(fieldError.duplicate(namePath, name))
  names.add(name)
  return errors
}

function validatePort({ port = 0, protocol = '', targetPort = 0, appProtocol }: Port, path: FieldPath): FieldErrorList {
  const errors = isValidPortNum(port).map((message) => fieldError.invalid(path.child('port'), port, message))
  if (protocol === '') errors.push(fieldError.required(path.child('protocol')))
  else if (!protocols.includes(protocol)) errors.push(fieldError.notSupported(path.child('protocol'), protocol, protocols))
  const messages = typeof targetPort === 'number' ? isValidPortNum(targetPort) : isValidPortName(targetPort)
  errors.push(...messages.map((message) => fieldError.invalid(path.child('targetPort'), targetPort, message)))
  if (appProtocol !== undefined) {
    errors.push(...isQualifiedName(appProtocol).map((message) => fieldError.invalid(path.child('appProtocol'), appProtocol, message)))
  }
  return errors
}

function forbidNodePortsOfClusterIP(ports: readonly Port[], type: string | undefined): FieldErrorList {
  if (type !== 'ClusterIP') return []
  return ports.flatMap(({ nodePort = 0 }, i) =>
    nodePort === 0 ? [] : [fieldError.forbidden(portsPath.index(i).child('nodePort'), "may not be used when `type` is 'ClusterIP'")],
  )
}

function validateUniqueNodePorts(ports: readonly Port[]): FieldErrorList {
  const visited = new Set<string>()
  return ports.flatMap(({ nodePort = 0, protocol = '' }, i) => {
    if (nodePort === 0 || !isRepeated(visited, `${protocol}/${nodePort}`)) return []
    return [fieldError.duplicate(portsPath.index(i).child('nodePort'), nodePort)]
  })
}

function validateUniquePorts(ports: readonly Port[]): FieldErrorList {
  const visited = new Set<string>()
  return ports.flatMap(({ port = 0, protocol = '' }, i) =>
    isRepeated(visited, `${protocol}/${port}`)
      ? [fieldError.duplicate(portsPath.index(i), createVerbatimValue(printComparedPort(protocol, port)))]
      : [],
  )
}

/** Formats protocol and port for an error message, like kube-apiserver's internal type ServicePort. */
function printComparedPort(protocol: string, port: number): string {
  return `{"Name":"","Protocol":${quote(protocol)},"AppProtocol":null,"Port":${port},"TargetPort":0,"NodePort":0}`
}

function isRepeated(visited: Set<string>, key: string): boolean {
  if (visited.has(key)) return true
  visited.add(key)
  return false
}
