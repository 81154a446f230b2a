import { coreV1 } from '@keelson/api/core/v1'
import type { PodSecurityContext, SecurityContext } from '@keelson/api/core/v1'
import { fieldError, isValidGroupID, isValidUserID } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { toInternalStruct } from '../internal-structs/to-internal-struct.ts'
import { createInvalidErrors, validateItems, validateSupported } from './field-rules.ts'
import type { PodRules } from './pod-rules.ts'
import { validateAppArmorProfile, validateSeccompProfile } from './validate-profiles.ts'
import { validateSysctls } from './validate-sysctls.ts'
import { validateWindowsOptions } from './validate-windows-options.ts'
import type { ReadonlyContainer, ReadonlyPodSpec } from './visit-containers.ts'

const procMounts = ['Default', 'Unmasked']

/** Validates the security context of a container. Admission decides whether privileged containers are allowed. */
export function validateSecurityContext(container: ReadonlyContainer, hostUsers: boolean, containerPath: FieldPath): FieldErrorList {
  const { securityContext: context } = container
  if (context === undefined) return []
  const path = containerPath.child('securityContext')
  const errors = [
    ...validateUser(context.runAsUser, path, 'runAsUser'),
    ...validateGroup(context.runAsGroup, path, 'runAsGroup'),
    ...validateSupported(context.procMount, procMounts, path, 'procMount'),
  ]
  if (hostUsers && context.procMount === 'Unmasked') {
    errors.push(fieldError.invalid(path.child('procMount'), context.procMount, '`hostUsers` must be false to use `Unmasked`'))
  }
  return [
    ...errors,
    ...validateSeccompProfile(context, path),
    ...validateEscalation(context, path),
    ...validateWindowsOptions(context, path),
    ...validateAppArmorProfile(context, path),
  ]
}

function validateEscalation(context: DeepReadonly<SecurityContext>, path: FieldPath): FieldErrorList {
  if (context.allowPrivilegeEscalation !== false) return []
  const reportContradiction = (setting: string): FieldErrorList => [
    fieldError.invalid(
      path,
      toInternalStruct(coreV1.table.resolve('SecurityContext'), context),
      `cannot set \`allowPrivilegeEscalation\` to false and ${setting}`,
    ),
  ]
  return [
    ...(context.privileged === true ? reportContradiction('`privileged` to true') : []),
    ...(context.capabilities?.add ?? []).flatMap((name) =>
      name === 'CAP_SYS_ADMIN' ? reportContradiction('`capabilities.Add` CAP_SYS_ADMIN') : [],
    ),
  ]
}

const fsGroupChangePolicies = ['Always', 'OnRootMismatch']
const supplementalGroupsPolicies = ['Merge', 'Strict']
const seLinuxChangePolicies = ['MountOption', 'Recursive']
const newSELinuxChangePolicies = ['Recursive']

/** Validates the security context of a pod together with `shareProcessNamespace`. */
export function validatePodSecurityContext(spec: ReadonlyPodSpec, rules: PodRules, specPath: FieldPath): FieldErrorList {
  const context = spec.securityContext ?? {}
  const path = specPath.child('securityContext')
  const errors = [
    ...validateGroup(context.fsGroup, path, 'fsGroup'),
    ...validateUser(context.runAsUser, path, 'runAsUser'),
    ...validateGroup(context.runAsGroup, path, 'runAsGroup'),
    ...validateSupplementalGroups(context, path),
  ]
  if (spec.shareProcessNamespace === true && spec.hostPID === true) {
    const detail = 'ShareProcessNamespace and HostPID cannot both be enabled'
    errors.push(fieldError.invalid(path.child('shareProcessNamespace'), true, detail))
  }
  // New pods must not use the SELinux change policy MountOption.
  const changePolicies = rules.allowMountOptionSELinuxChange ? seLinuxChangePolicies : newSELinuxChangePolicies
  return [
    ...errors,
    ...validateSysctls(spec, rules, path),
    ...validateSupported(context.fsGroupChangePolicy, fsGroupChangePolicies, path, 'fsGroupChangePolicy'),
    ...validateSeccompProfile(context, path),
    ...validateWindowsOptions(context, path),
    ...validateAppArmorProfile(context, path),
    ...validateSupported(context.supplementalGroupsPolicy, supplementalGroupsPolicies, path, 'supplementalGroupsPolicy'),
    ...validateSupported(context.seLinuxChangePolicy, changePolicies, path, 'seLinuxChangePolicy'),
  ]
}

function validateUser(id: number | undefined, path: FieldPath, member: string): FieldErrorList {
  return id === undefined ? [] : createInvalidErrors(isValidUserID(id), id, path, member)
}

function validateSupplementalGroups({ supplementalGroups: groups }: DeepReadonly<PodSecurityContext>, path: FieldPath): FieldErrorList {
  return groups === undefined ? [] : validateItems(groups, path.child('supplementalGroups'), (group, at) => validateGroup(group, at))
}

function validateGroup(id: number | undefined, path: FieldPath, member?: string): FieldErrorList {
  return id === undefined ? [] : createInvalidErrors(isValidGroupID(id), id, path, member)
}
