import { fieldError } from '@keelson/apimachinery'
import type { FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { listContainersWithPath } from './visit-containers.ts'
import type { ReadonlyPodSpec } from './visit-containers.ts'

const systems = ['linux', 'windows']

/** Pod fields that Windows does not support. A leading "/" marks fields of the security context. */
const podFields = [
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
/** Fields that are only rejected if their value is true. */
const rejectedIfTrue: ReadonlySet<string> = new Set(['hostPID', 'hostIPC'])
const containerFields = [
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

/** Rejects fields that the pod's operating system does not support. */
export function validateOS(spec: ReadonlyPodSpec, path: FieldPath): FieldErrorList {
  if (spec.os === undefined) return []
  const { name = '' } = spec.os
  if (name === '') return [fieldError.required(path.child('os', 'name'))]
  if (name === 'linux') return forbidWindowsOptions(spec, path)
  return name === 'windows' ? forbidLinuxFields(spec, path) : [fieldError.notSupported(path.child('os'), name, systems)]
}

function forbidWindowsOptions(spec: ReadonlyPodSpec, path: FieldPath): FieldErrorList {
  const contexts = [{ container: spec, path }, ...listContainersWithPath(spec, path)]
  return contexts.flatMap(({ container, path: at }) =>
    container.securityContext?.windowsOptions === undefined
      ? []
      : [fieldError.forbidden(at.child('securityContext', 'windowsOptions'), 'windows options cannot be set for a linux pod')],
  )
}

function forbidLinuxFields(spec: ReadonlyPodSpec, path: FieldPath): FieldErrorList {
  const forbid = (at: FieldPath): FieldErrorList => [fieldError.forbidden(at, 'cannot be set for a windows pod')]
  const errors: FieldErrorList = []
  const context: Readonly<Record<string, unknown>> = { ...spec.securityContext }
  const specFields: Readonly<Record<string, unknown>> = { ...spec }
  for (const member of podFields) {
    const name = member.replace('/', '')
    if (name !== member) {
      const value = context[name]
      if (value !== undefined && !(name === 'sysctls' && Array.isArray(value) && value.length === 0)) {
        errors.push(...forbid(path.child('securityContext', name)))
      }
    } else if (specFields[name] !== undefined && !(rejectedIfTrue.has(name) && specFields[name] === false)) {
      errors.push(...forbid(path.child(name)))
    }
  }
  for (const { container, path: at } of listContainersWithPath(spec, path)) {
    for (const member of containerFields) {
      if (container.securityContext?.[member] !== undefined) errors.push(...forbid(at.child('securityContext', member)))
    }
  }
  return errors
}
