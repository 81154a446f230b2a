import { fieldError } from '@keelson/apimachinery'
import type { FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { containersWithPath } from './visit-containers.ts'
import type { ReadonlyPodSpec } from './visit-containers.ts'

const systems = ['linux', 'windows']

/** What Windows does not know, in the spec and, after "/", in its security context. */
const podMembers = [
  '/appArmorProfile',
  '/seLinuxOptions',
  'hostUsers',
  'hostPID',
  'hostIPC',
  '/seccompProfile',
  '/fsGroup',
  '/fsGroupChangePolicy',
  '/sysctls',
  'shareProcessNamespace',
  '/runAsUser',
  '/runAsGroup',
  '/supplementalGroups',
  '/supplementalGroupsPolicy',
  '/seLinuxChangePolicy',
]
/** Only sharing is refused, not the answer no. */
const neverWithHost: ReadonlySet<string> = new Set(['hostPID', 'hostIPC'])
const containerMembers = [
  'appArmorProfile',
  'seLinuxOptions',
  'seccompProfile',
  'capabilities',
  'readOnlyRootFilesystem',
  'privileged',
  'allowPrivilegeEscalation',
  'procMount',
  'runAsUser',
  'runAsGroup',
] as const

/** A pod that names its system may not use what only others have. */
export function validateOS(spec: ReadonlyPodSpec, path: FieldPath): FieldErrorList {
  if (spec.os === undefined) return []
  const { name = '' } = spec.os
  if (name === '') return [fieldError.required(path.child('os', 'name'))]
  if (name === 'linux') return refuseWindowsOptions(spec, path)
  return name === 'windows' ? refuseLinuxMembers(spec, path) : [fieldError.notSupported(path.child('os'), name, systems)]
}

function refuseWindowsOptions(spec: ReadonlyPodSpec, path: FieldPath): FieldErrorList {
  const contexts = [{ container: spec, path }, ...containersWithPath(spec, path)]
  return contexts.flatMap(({ container, path: at }) =>
    container.securityContext?.windowsOptions === undefined
      ? []
      : [fieldError.forbidden(at.child('securityContext', 'windowsOptions'), 'windows options cannot be set for a linux pod')],
  )
}

function refuseLinuxMembers(spec: ReadonlyPodSpec, path: FieldPath): FieldErrorList {
  const refuse = (at: FieldPath): FieldErrorList => [fieldError.forbidden(at, 'cannot be set for a windows pod')]
  const errors: FieldErrorList = []
  const context: Readonly<Record<string, unknown>> = { ...spec.securityContext }
  const ofSpec: Readonly<Record<string, unknown>> = { ...spec }
  for (const member of podMembers) {
    const name = member.replace('/', '')
    if (name !== member) {
      const value = context[name]
      if (value !== undefined && !(name === 'sysctls' && Array.isArray(value) && value.length === 0)) {
        errors.push(...refuse(path.child('securityContext', name)))
      }
    } else if (ofSpec[name] !== undefined && !(neverWithHost.has(name) && ofSpec[name] === false)) {
      errors.push(...refuse(path.child(name)))
    }
  }
  for (const { container, path: at } of containersWithPath(spec, path)) {
    for (const member of containerMembers) {
      if (container.securityContext?.[member] !== undefined) errors.push(...refuse(at.child('securityContext', member)))
    }
  }
  return errors
}
