import { fieldError, formatInclusiveRangeMessage, nameIsDNSSubdomain, validateLabels } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath, ObjectMeta } from '@keelson/apimachinery'
import { createInvalidErrors, validateDNSLabel, validateRequiredOneOf } from './field-rules.ts'
import type { PodRules } from './pod-rules.ts'
import { validateAffinity } from './validate-affinity.ts'
import type { ContainerContext } from './validate-container.ts'
import { validateContainers, validateInitContainers } from './validate-containers.ts'
import { validateDNSConfig, validateHostAliases, validateHostnameOverride } from './validate-dns.ts'
import { validateEphemeralContainers } from './validate-ephemeral-containers.ts'
import { validateFileKeyVolumes } from './validate-file-keys.ts'
import { validateReadinessGates, validateSchedulingGates, validateSchedulingGroup } from './validate-gates.ts'
import { validateHostNetworkPorts, validateHostUsers } from './validate-host-users.ts'
import { validateOS } from './validate-os.ts'
import { validatePodResources } from './validate-pod-resources.ts'
import { validateResourceClaims } from './validate-resource-claims.ts'
import { validateContainerResources } from './validate-resources.ts'
import { validatePodSecurityContext } from './validate-security-context.ts'
import { validateTolerations } from './validate-tolerations.ts'
import { validateTopologySpread } from './validate-topology-spread.ts'
import { validateVolumes } from './validate-volumes.ts'
import { validateHostProcess } from './validate-windows-options.ts'
import type { ReadonlyPodSpec } from './visit-containers.ts'

const restartPolicies = ['Always', 'OnFailure', 'Never']
const dnsPolicies = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None']
const preemptionPolicies = ['PreemptLowerPriority', 'Never']
const maxDeadline = 2 ** 31 - 1

const noNames: ReadonlySet<string> = new Set()

export interface PodSpecOptions {
  readonly rules: PodRules
  /** Metadata of the pod; undefined for a template. */
  readonly metadata?: DeepReadonly<ObjectMeta> | undefined
}

/** Validates the spec of a pod or pod template. Reports errors in upstream's order. Defaults must be set before. */
export function validatePodSpec(spec: ReadonlyPodSpec, { rules, metadata }: PodSpecOptions, path: FieldPath): FieldErrorList {
  return [
    ...(spec.terminationGracePeriodSeconds === undefined ? [fieldError.required(path.child('terminationGracePeriodSeconds'))] : []),
    ...validateVolumesAndContainers(spec, { rules, metadata }, path),
    ...validateHostNetworkPorts(spec, rules, path),
    ...validateRequiredOneOf(spec.restartPolicy, restartPolicies, path, 'restartPolicy'),
    ...validateRequiredOneOf(spec.dnsPolicy, dnsPolicies, path, 'dnsPolicy'),
    ...(spec.nodeSelector === undefined ? [] : validateLabels(spec.nodeSelector, path.child('nodeSelector'))),
    ...validatePodSecurityContext(spec, rules, path),
    ...validateAffinity(spec, rules, path),
    ...validateDNSConfig(spec, path),
    ...validateReadinessGates(spec, path),
    ...validateSchedulingGates(spec, path),
    ...validateTopologySpread(spec, rules, path),
    ...validateHostProcess(spec, path),
    ...validateHostUsers(spec, rules, path),
    ...validateHostnameOverride(spec, path),
    ...validateNames(spec, rules, path),
    ...validateOS(spec, path),
    ...(spec.schedulingGroup === undefined ? [] : validateSchedulingGroup(spec.schedulingGroup, path.child('schedulingGroup'))),
    ...validateFileKeyVolumes(spec, path),
  ]
}

function validateVolumesAndContainers(spec: ReadonlyPodSpec, { rules, metadata }: PodSpecOptions, path: FieldPath): FieldErrorList {
  const { volumes, errors } = validateVolumes(spec, { rules, podName: metadata?.name ?? '' }, path)
  const claims = spec.resourceClaims ?? []
  const context: ContainerContext = {
    rules,
    volumes,
    claims: claims.length === 0 ? noNames : new Set(claims.map(({ name = '' }) => name).filter((name) => name !== '')),
    gracePeriod: spec.terminationGracePeriodSeconds,
    os: spec.os,
    restartPolicy: spec.restartPolicy,
    hostUsers: spec.hostUsers !== false,
  }
  const containers = spec.containers ?? []
  return [
    ...errors,
    ...(claims.length === 0 ? [] : validateResourceClaims(claims, metadata?.annotations, path.child('resourceClaims'))),
    ...validateContainers(containers, context, path.child('containers')),
    ...(spec.initContainers === undefined
      ? []
      : validateInitContainers(spec.initContainers, { ...context, containers }, path.child('initContainers'))),
    ...validateEphemeralContainers(spec, context, path),
    ...validatePodResources(spec, context, path),
  ]
}

function validateNames(spec: ReadonlyPodSpec, rules: PodRules, path: FieldPath): FieldErrorList {
  const { activeDeadlineSeconds: deadline, hostname, subdomain, overhead } = spec
  return [
    ...validateReference(spec.serviceAccountName, path, 'serviceAccountName'),
    ...validateReference(spec.nodeName, path, 'nodeName'),
    ...(deadline === undefined || (1 <= deadline && deadline <= maxDeadline)
      ? []
      : [fieldError.invalid(path.child('activeDeadlineSeconds'), deadline, formatInclusiveRangeMessage(1, maxDeadline))]),
    ...(hostname ? validateDNSLabel(hostname, path, 'hostname') : []),
    ...(subdomain ? validateDNSLabel(subdomain, path, 'subdomain') : []),
    ...(spec.tolerations === undefined ? [] : validateTolerations(spec.tolerations, rules, path.child('tolerations'))),
    ...(spec.hostAliases === undefined ? [] : validateHostAliases(spec.hostAliases, path.child('hostAliases'))),
    ...validateReference(spec.priorityClassName, path, 'priorityClassName'),
    // An empty runtime class name is invalid, unlike other empty names of objects in a pod spec.
    ...(spec.runtimeClassName === undefined
      ? []
      : createInvalidErrors(nameIsDNSSubdomain(spec.runtimeClassName, false), spec.runtimeClassName, path, 'runtimeClassName')),
    ...(spec.preemptionPolicy === undefined
      ? []
      : validateRequiredOneOf(spec.preemptionPolicy, preemptionPolicies, path, 'preemptionPolicy')),
    ...(overhead === undefined ? [] : validateContainerResources({ limits: overhead }, { rules, claims: noNames }, path.child('overhead'))),
  ]
}

function validateReference(name: string | undefined, path: FieldPath, member: string): FieldErrorList {
  return name ? createInvalidErrors(nameIsDNSSubdomain(name, false), name, path, member) : []
}
