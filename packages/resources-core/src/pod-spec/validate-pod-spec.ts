import { fieldError, inclusiveRangeMessage, nameIsDNSSubdomain, validateLabels } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath, ObjectMeta } from '@keelson/apimachinery'
import { invalidEach, validateDNSLabel, validateRequiredOneOf } from './field-rules.ts'
import type { PodRules } from './pod-rules.ts'
import { validateAffinity } from './validate-affinity.ts'
import type { ContainerScope } from './validate-container.ts'
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

export interface PodSpecOptions {
  readonly rules: PodRules
  /** The pod's; undefined for a template. */
  readonly metadata?: DeepReadonly<ObjectMeta> | undefined
}

/** Every rule of a pod spec, alone or in a template, in the original's order. Expects defaults to be set. */
export function validatePodSpec(spec: ReadonlyPodSpec, { rules, metadata }: PodSpecOptions, path: FieldPath): FieldErrorList {
  return [
    ...(spec.terminationGracePeriodSeconds === undefined ? [fieldError.required(path.child('terminationGracePeriodSeconds'))] : []),
    ...validateVolumesAndContainers(spec, { rules, metadata }, path),
    ...validateHostNetworkPorts(spec, rules, path),
    ...validateRequiredOneOf(spec.restartPolicy, restartPolicies, path.child('restartPolicy')),
    ...validateRequiredOneOf(spec.dnsPolicy, dnsPolicies, path.child('dnsPolicy')),
    ...validateLabels(spec.nodeSelector, path.child('nodeSelector')),
    ...validatePodSecurityContext(spec, rules, path.child('securityContext')),
    ...validateAffinity(spec.affinity, rules, path.child('affinity')),
    ...validateDNSConfig(spec.dnsConfig, spec.dnsPolicy, path.child('dnsConfig')),
    ...validateReadinessGates(spec.readinessGates ?? [], path.child('readinessGates')),
    ...validateSchedulingGates(spec.schedulingGates ?? [], path.child('schedulingGates')),
    ...validateTopologySpread(spec.topologySpreadConstraints ?? [], rules, path.child('topologySpreadConstraints')),
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
  const { volumes, errors } = validateVolumes(spec.volumes ?? [], { rules, podName: metadata?.name ?? '' }, path.child('volumes'))
  const claims = spec.resourceClaims ?? []
  const scope: ContainerScope = {
    rules,
    volumes,
    claims: new Set(claims.map(({ name = '' }) => name).filter((name) => name !== '')),
    gracePeriod: spec.terminationGracePeriodSeconds,
    os: spec.os,
    restartPolicy: spec.restartPolicy,
    hostUsers: spec.hostUsers !== false,
  }
  const containers = spec.containers ?? []
  const initContainers = spec.initContainers ?? []
  const otherNames = new Set([...containers, ...initContainers].map(({ name = '' }) => name))
  return [
    ...errors,
    ...validateResourceClaims(claims, metadata?.annotations, path.child('resourceClaims')),
    ...validateContainers(containers, scope, path.child('containers')),
    ...validateInitContainers(initContainers, { ...scope, containers }, path.child('initContainers')),
    ...validateEphemeralContainers(spec.ephemeralContainers ?? [], { ...scope, otherNames }, path.child('ephemeralContainers')),
    ...validatePodResources(spec, scope, path),
  ]
}

function validateNames(spec: ReadonlyPodSpec, rules: PodRules, path: FieldPath): FieldErrorList {
  const { activeDeadlineSeconds: deadline, hostname, subdomain, overhead } = spec
  return [
    ...validateReference(spec.serviceAccountName, path.child('serviceAccountName')),
    ...validateReference(spec.nodeName, path.child('nodeName')),
    ...(deadline === undefined || (1 <= deadline && deadline <= maxDeadline)
      ? []
      : [fieldError.invalid(path.child('activeDeadlineSeconds'), deadline, inclusiveRangeMessage(1, maxDeadline))]),
    ...(hostname ? validateDNSLabel(hostname, path.child('hostname')) : []),
    ...(subdomain ? validateDNSLabel(subdomain, path.child('subdomain')) : []),
    ...validateTolerations(spec.tolerations ?? [], rules, path.child('tolerations')),
    ...validateHostAliases(spec.hostAliases ?? [], path.child('hostAliases')),
    ...validateReference(spec.priorityClassName, path.child('priorityClassName')),
    // Unlike the others, an empty name of a runtime class is a name, and a wrong one.
    ...(spec.runtimeClassName === undefined
      ? []
      : invalidEach(nameIsDNSSubdomain(spec.runtimeClassName, false), spec.runtimeClassName, path.child('runtimeClassName'))),
    ...(spec.preemptionPolicy === undefined
      ? []
      : validateRequiredOneOf(spec.preemptionPolicy, preemptionPolicies, path.child('preemptionPolicy'))),
    ...(overhead === undefined
      ? []
      : validateContainerResources({ limits: overhead }, { rules, claims: new Set() }, path.child('overhead'))),
  ]
}

function validateReference(name: string | undefined, path: FieldPath): FieldErrorList {
  return name ? invalidEach(nameIsDNSSubdomain(name, false), name, path) : []
}
