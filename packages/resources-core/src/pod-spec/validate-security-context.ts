import type { SecurityContext } from '@keelson/api/core/v1'
import { fieldError, isValidGroupID, isValidUserID } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { internalForm } from '../internal-form/internal-form.ts'
import { invalidEach, validateSupported } from './field-rules.ts'
import type { PodRules } from './pod-rules.ts'
import { validateAppArmorProfile, validateSeccompProfile } from './validate-profiles.ts'
import { validateSysctls } from './validate-sysctls.ts'
import { validateWindowsOptions } from './validate-windows-options.ts'
import type { ReadonlyPodSpec } from './visit-containers.ts'

const procMounts = ['Default', 'Unmasked']

/** Of a container. Whether pods may be privileged is policy and not asked here. */
export function validateSecurityContext(
  context: DeepReadonly<SecurityContext> | undefined,
  hostUsers: boolean,
  path: FieldPath,
): FieldErrorList {
  if (context === undefined) return []
  const errors = [
    ...validateUser(context.runAsUser, path.child('runAsUser')),
    ...validateGroup(context.runAsGroup, path.child('runAsGroup')),
    ...validateSupported(context.procMount, procMounts, path.child('procMount')),
  ]
  if (hostUsers && context.procMount === 'Unmasked') {
    errors.push(fieldError.invalid(path.child('procMount'), context.procMount, '`hostUsers` must be false to use `Unmasked`'))
  }
  return [
    ...errors,
    ...validateSeccompProfile(context.seccompProfile, path.child('seccompProfile')),
    ...validateEscalation(context, path),
    ...validateWindowsOptions(context.windowsOptions, path.child('windowsOptions')),
    ...validateAppArmorProfile(context.appArmorProfile, path.child('appArmorProfile')),
  ]
}

function validateEscalation(context: DeepReadonly<SecurityContext>, path: FieldPath): FieldErrorList {
  if (context.allowPrivilegeEscalation !== false) return []
  const contradicts = (what: string): FieldErrorList => [
    fieldError.invalid(path, internalForm('SecurityContext', context), `cannot set \`allowPrivilegeEscalation\` to false and ${what}`),
  ]
  return [
    ...(context.privileged === true ? contradicts('`privileged` to true') : []),
    ...(context.capabilities?.add ?? []).flatMap((name) =>
      name === 'CAP_SYS_ADMIN' ? contradicts('`capabilities.Add` CAP_SYS_ADMIN') : [],
    ),
  ]
}

const fsGroupChangePolicies = ['Always', 'OnRootMismatch']
const supplementalGroupsPolicies = ['Merge', 'Strict']
const seLinuxChangePolicies = ['MountOption', 'Recursive']

/** Of a pod, with what stands beside it in the spec: sharing of process ids. */
export function validatePodSecurityContext(spec: ReadonlyPodSpec, rules: PodRules, path: FieldPath): FieldErrorList {
  const context = spec.securityContext ?? {}
  const errors = [
    ...validateGroup(context.fsGroup, path.child('fsGroup')),
    ...validateUser(context.runAsUser, path.child('runAsUser')),
    ...validateGroup(context.runAsGroup, path.child('runAsGroup')),
    ...(context.supplementalGroups ?? []).flatMap((group, i) => validateGroup(group, path.child('supplementalGroups').index(i))),
  ]
  if (spec.shareProcessNamespace === true && spec.hostPID === true) {
    const detail = 'ShareProcessNamespace and HostPID cannot both be enabled'
    errors.push(fieldError.invalid(path.child('shareProcessNamespace'), true, detail))
  }
  // Relabelling at mount time is not taken from new pods.
  const changePolicies = rules.allowMountOptionSELinuxChange ? seLinuxChangePolicies : ['Recursive']
  return [
    ...errors,
    ...validateSysctls(spec, rules, path.child('sysctls')),
    ...validateSupported(context.fsGroupChangePolicy, fsGroupChangePolicies, path.child('fsGroupChangePolicy')),
    ...validateSeccompProfile(context.seccompProfile, path.child('seccompProfile')),
    ...validateWindowsOptions(context.windowsOptions, path.child('windowsOptions')),
    ...validateAppArmorProfile(context.appArmorProfile, path.child('appArmorProfile')),
    ...validateSupported(context.supplementalGroupsPolicy, supplementalGroupsPolicies, path.child('supplementalGroupsPolicy')),
    ...validateSupported(context.seLinuxChangePolicy, changePolicies, path.child('seLinuxChangePolicy')),
  ]
}

function validateUser(id: number | undefined, path: FieldPath): FieldErrorList {
  return id === undefined ? [] : invalidEach(isValidUserID(id), id, path)
}

function validateGroup(id: number | undefined, path: FieldPath): FieldErrorList {
  return id === undefined ? [] : invalidEach(isValidGroupID(id), id, path)
}
