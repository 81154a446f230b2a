import { fieldError, isValidPortName, isValidPortNum } from '@keelson/apimachinery'
import type { FieldErrorList, FieldPath, IntOrString } from '@keelson/apimachinery'
import { createInvalidErrors, validateItems, validateRequiredOneOf } from './field-rules.ts'
import type { ReadonlyContainer } from './visit-containers.ts'

const protocols = ['SCTP', 'TCP', 'UDP']

export function validateContainerPorts({ ports }: ReadonlyContainer, path: FieldPath): FieldErrorList {
  if (ports === undefined) return []
  const names = new Set<string>()
  return validateItems(ports, path.child('ports'), (port, at) => {
    const { name = '', containerPort = 0, hostPort = 0 } = port
    const errors: FieldErrorList = []
    if (name !== '') {
      const messages = isValidPortName(name)
      errors.push(...createInvalidErrors(messages, name, at, 'name'))
      if (messages.length === 0 && names.has(name)) errors.push(fieldError.duplicate(at.child('name'), name))
      if (messages.length === 0) names.add(name)
    }
    if (containerPort === 0) errors.push(fieldError.required(at.child('containerPort')))
    else errors.push(...createInvalidErrors(isValidPortNum(containerPort), containerPort, at, 'containerPort'))
    if (hostPort !== 0) errors.push(...createInvalidErrors(isValidPortNum(hostPort), hostPort, at, 'hostPort'))
    errors.push(...validateRequiredOneOf(port.protocol, protocols, at, 'protocol'))
    return errors
  })
}

/** Rejects host ports that several containers use. */
export function validateHostPorts(containers: readonly ReadonlyContainer[], path: FieldPath): FieldErrorList {
  const usedPorts = new Set<string>()
  const errors: FieldErrorList = []
  for (const [i, { ports }] of containers.entries()) {
    if (ports === undefined) continue
    for (const [j, { hostPort = 0, hostIP = '', protocol = '' }] of ports.entries()) {
      if (hostPort === 0) continue
      const key = `${protocol}/${hostIP}/${hostPort}`
      if (usedPorts.has(key)) errors.push(fieldError.duplicate(path.index(i).child('ports').index(j).child('hostPort'), key))
      usedPorts.add(key)
    }
  }
  return errors
}

export function validatePortNumberOrName(port: IntOrString | undefined, path: FieldPath): FieldErrorList {
  const value = port ?? 0
  return createInvalidErrors(typeof value === 'number' ? isValidPortNum(value) : isValidPortName(value), value, path)
}
