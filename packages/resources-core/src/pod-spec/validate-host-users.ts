import { fieldError } from '@keelson/apimachinery'
import type { FieldErrorList, FieldPath } from '@keelson/apimachinery'
import type { PodRules } from './pod-rules.ts'
import { listContainersWithPath } from './visit-containers.ts'
import type { ReadonlyPodSpec } from './visit-containers.ts'

const detail = 'when `hostUsers` is false'

/** Rejects host namespaces in a pod that has its own user namespace (`hostUsers: false`). */
export function validateHostUsers(spec: ReadonlyPodSpec, rules: PodRules, path: FieldPath): FieldErrorList {
  if (spec.hostUsers !== false) return []
  const errors: FieldErrorList = []
  if (spec.hostNetwork === true && !rules.allowHostUsersWithHostNetwork)
    errors.push(fieldError.forbidden(path.child('hostNetwork'), detail))
  if (spec.hostPID === true) errors.push(fieldError.forbidden(path.child('HostPID'), detail))
  if (spec.hostIPC === true) errors.push(fieldError.forbidden(path.child('HostIPC'), detail))
  if (rules.allowHostUsersWithVolumeDevices) return errors
  for (const { container, path: at } of listContainersWithPath(spec, path)) {
    if ((container.volumeDevices ?? []).length > 0) errors.push(fieldError.forbidden(at.child('volumeDevices'), detail))
  }
  return errors
}

/** Validates ports of a pod in the host network: container ports must equal host ports. Templates may omit host ports. */
export function validateHostNetworkPorts(spec: ReadonlyPodSpec, rules: PodRules, path: FieldPath): FieldErrorList {
  if (spec.hostNetwork !== true) return []
  return (spec.containers ?? []).flatMap(({ ports }, i) =>
    (ports ?? []).flatMap(({ hostPort = 0, containerPort = 0 }, j) => {
      if (hostPort === containerPort || (hostPort === 0 && !rules.isPod)) return []
      const at = path.child('containers').index(i).child('ports').index(j).child('hostPort')
      return [fieldError.invalid(at, hostPort, 'must match `containerPort` when `hostNetwork` is true')]
    }),
  )
}
