import type { HostAlias, NodeAffinity, PodAffinity } from '@keelson/api/core/v1'
import { appendAll, newFieldPath, parseQuantity, quote, repeatCheck, equalsSemantically } from '@keelson/apimachinery'
import type { DeepReadonly, FieldPath, ObjectMeta } from '@keelson/apimachinery'
import { findIPWarnings } from '../ip-address.ts'
import { appArmorContainerPrefix, seccompContainerPrefix, seccompPodAnnotation } from './annotation-keys.ts'
import { parseAppArmorAnnotation } from './app-armor-annotation.ts'
import { validateItems } from './field-rules.ts'
import { getNodeLabelDeprecation, findNodeTermWarnings } from './node-label-warnings.ts'
import { findOverlappingPathWarnings } from './overlapping-paths.ts'
import { findPortWarnings } from './port-warnings.ts'
import { isFractional } from './resource-quantities.ts'
import type { ResourceList } from './resource-quantities.ts'
import { listContainersWithPath } from './visit-containers.ts'
import type { ContainerAt, ReadonlyContainer, ReadonlyPodSpec } from './visit-containers.ts'
import { findVolumeWarnings } from './volume-warnings.ts'

export interface PodLikeObject {
  readonly metadata?: DeepReadonly<ObjectMeta>
  readonly spec?: ReadonlyPodSpec
}

/** Returns warnings about a pod, or about the pod template at `templatePath`. */
export function findPodWarnings({ metadata, spec = { containers: null } }: PodLikeObject, templatePath?: FieldPath): string[] {
  const path = templatePath ?? newFieldPath()
  const specPath = path.child('spec')
  const annotated: Annotated = {
    annotations: metadata?.annotations ?? {},
    path: path.child('metadata', 'annotations'),
    isTemplate: templatePath !== undefined,
  }
  const containers = listContainersWithPath(spec, specPath)
  const { volumes, affinity, dnsConfig, hostAliases } = spec
  return [
    ...findSchedulingWarnings(spec, specPath),
    ...findAnnotationWarnings(annotated),
    ...(volumes === undefined ? [] : validateItems(volumes, specPath.child('volumes'), findVolumeWarnings)),
    ...(volumes === undefined ? [] : findOverlappingPathWarnings(volumes)),
    ...(hostAliases === undefined ? [] : findRepeatedAliasWarnings(hostAliases, specPath.child('hostAliases'))),
    ...findPullSecretWarnings(spec, specPath),
    ...(spec.overhead === undefined
      ? []
      : byteResources.flatMap((name) => findFractionWarning(name, spec.overhead, specPath.child('overhead')))),
    ...findProfileWarnings(spec, annotated),
    ...containers.flatMap((at) => findContainerWarnings(at, spec, annotated)),
    ...findPortWarnings(containers),
    ...((spec.terminationGracePeriodSeconds ?? 0) < 0
      ? [`${specPath.child('terminationGracePeriodSeconds')}: must be >= 0; negative values are invalid and will be treated as 1`]
      : []),
    ...findPodAffinityWarnings(affinity?.podAffinity, specPath, 'podAffinity'),
    ...findPodAffinityWarnings(affinity?.podAntiAffinity, specPath, 'podAntiAffinity'),
    ...(dnsConfig === undefined ? [] : validateItems(dnsConfig.nameservers, specPath.child('dnsConfig', 'nameservers'), findIPWarnings)),
    ...(hostAliases === undefined
      ? []
      : validateItems(hostAliases, specPath.child('hostAliases'), ({ ip }, at) => findIPWarnings(ip, at.child('ip')))),
  ]
}

interface Annotated {
  readonly annotations: Readonly<Record<string, string>>
  readonly path: FieldPath
  readonly isTemplate: boolean
}

const deprecatedAnnotations = [
  ['scheduler.alpha.kubernetes.io/critical-pod', 'non-functional in v1.16+; use the "priorityClassName" field instead'],
  ['security.alpha.kubernetes.io/sysctls', 'non-functional in v1.11+; use the "sysctls" field instead'],
  ['security.alpha.kubernetes.io/unsafe-sysctls', 'non-functional in v1.11+; use the "sysctls" field instead'],
] as const

function findAnnotationWarnings({ annotations, path }: Annotated): string[] {
  const warnings: string[] = []
  for (const [key, message] of deprecatedAnnotations) {
    if (Object.hasOwn(annotations, key)) warnings.push(`${path.key(key)}: ${message}`)
  }
  return warnings
}

function findSchedulingWarnings(spec: ReadonlyPodSpec, path: FieldPath): string[] {
  const warnings: string[] = []
  for (const key in spec.nodeSelector) {
    const message = getNodeLabelDeprecation(key)
    if (message !== undefined) warnings.push(`${path.child('nodeSelector').key(key)}: ${message}`)
  }
  if (spec.affinity?.nodeAffinity !== undefined) {
    appendAll(warnings, findNodeAffinityWarnings(spec.affinity.nodeAffinity, path.child('affinity', 'nodeAffinity')))
  }
  for (const [i, { topologyKey, labelSelector }] of (spec.topologySpreadConstraints ?? []).entries()) {
    const at = path.child('topologySpreadConstraints').index(i)
    const message = getNodeLabelDeprecation(topologyKey)
    if (message !== undefined) warnings.push(`${at.child('topologyKey')}: ${topologyKey} is ${message}`)
    if (labelSelector === undefined) warnings.push(matchesNothing(at.child('labelSelector')))
  }
  return warnings
}

function findNodeAffinityWarnings(affinity: DeepReadonly<NodeAffinity>, path: FieldPath): string[] {
  const { requiredDuringSchedulingIgnoredDuringExecution: required, preferredDuringSchedulingIgnoredDuringExecution: preferred } = affinity
  const termsPath = path.child('requiredDuringSchedulingIgnoredDuringExecution', 'nodeSelectorTerms')
  const preferredPath = path.child('preferredDuringSchedulingIgnoredDuringExecution')
  return [
    ...(required?.nodeSelectorTerms ?? []).flatMap((term, i) =>
      findNodeTermWarnings(term, { path: termsPath.index(i), checkValues: false }),
    ),
    ...(preferred ?? []).flatMap(({ preference }, i) =>
      findNodeTermWarnings(preference ?? {}, { path: preferredPath.index(i).child('preference'), checkValues: true }),
    ),
  ]
}

function matchesNothing(path: FieldPath): string {
  return `${path}: a null labelSelector results in matching no pod`
}

function findPodAffinityWarnings(affinity: DeepReadonly<PodAffinity> | undefined, specPath: FieldPath, member: string): string[] {
  if (affinity === undefined) return []
  const path = specPath.child('affinity', member)
  const { requiredDuringSchedulingIgnoredDuringExecution: required, preferredDuringSchedulingIgnoredDuringExecution: preferred } = affinity
  const requiredPath = path.child('requiredDuringSchedulingIgnoredDuringExecution')
  const preferredPath = path.child('preferredDuringSchedulingIgnoredDuringExecution')
  return [
    ...(required ?? []).flatMap(({ labelSelector }, i) =>
      labelSelector === undefined ? [matchesNothing(requiredPath.index(i).child('labelSelector'))] : [],
    ),
    ...(preferred ?? []).flatMap(({ podAffinityTerm }, i) =>
      podAffinityTerm?.labelSelector === undefined
        ? [matchesNothing(preferredPath.index(i).child('podAffinityTerm', 'labelSelector'))]
        : [],
    ),
  ]
}

function findRepeatedAliasWarnings(aliases: readonly DeepReadonly<HostAlias>[], path: FieldPath): string[] {
  return findRepeated(aliases, ({ ip }) => ip).map(([i, ip]) => `${path.index(i).child('ip')}: duplicate ip ${quote(ip)}`)
}

function findPullSecretWarnings({ imagePullSecrets: secrets }: ReadonlyPodSpec, specPath: FieldPath): string[] {
  if (secrets === undefined) return []
  const path = specPath.child('imagePullSecrets')
  return [
    ...findRepeated(secrets, ({ name = '' }) => name).map(([i, name]) => `${path.index(i).child('name')}: duplicate name ${quote(name)}`),
    ...validateItems(secrets, path, ({ name }, at) => (name ? [] : [`${at.child('name')}: invalid empty name ""`])),
  ]
}

/** Returns the index and the value of each item whose value an earlier item has too. */
function findRepeated<T>(items: readonly T[], valueOf: (item: T) => string): [number, string][] {
  const duplicates: [number, string][] = []
  if (items.length < 2) return duplicates
  const isRepeated = repeatCheck<string>()
  for (let i = 0; i < items.length; i++) {
    const value = valueOf(items[i]!)
    if (isRepeated(value)) duplicates.push([i, value])
  }
  return duplicates
}

/** Names of resources that are measured in bytes. Fractional quantities of them cause a warning. */
const byteResources = ['memory', 'ephemeral-storage'] as const

function findFractionWarning(name: string, list: ResourceList | undefined, path: FieldPath, member?: string): string[] {
  const text = list?.[name]
  if (text === undefined || !isFractional(parseQuantity(text))) return []
  const at = member === undefined ? path : path.child(member)
  return [`${at.key(name)}: fractional byte value ${quote(text)} is invalid, must be an integer`]
}

function formatSeccompWarning(path: FieldPath): string {
  return `${path}: non-functional in v1.27+; use the "seccompProfile" field instead`
}

function findProfileWarnings(spec: ReadonlyPodSpec, { annotations, path }: Annotated): string[] {
  if (spec.securityContext?.seccompProfile !== undefined || !Object.hasOwn(annotations, seccompPodAnnotation)) return []
  return [formatSeccompWarning(path.key(seccompPodAnnotation))]
}

function findContainerWarnings({ container, path }: ContainerAt, spec: ReadonlyPodSpec, annotated: Annotated): string[] {
  const { annotations, path: annotationsPath, isTemplate } = annotated
  const warnings: string[] = []
  const seccompKey = seccompContainerPrefix + container.name
  if (container.securityContext?.seccompProfile === undefined && Object.hasOwn(annotations, seccompKey)) {
    warnings.push(formatSeccompWarning(annotationsPath.key(seccompKey)))
  }
  // For pods, `applyAppArmorAnnotations` adds this warning.
  const appArmorKey = appArmorContainerPrefix + container.name
  const appArmor = annotations[appArmorKey]
  if (isTemplate && appArmor !== undefined && container.securityContext?.appArmorProfile === undefined) {
    const podProfile = spec.securityContext?.appArmorProfile
    if (podProfile === undefined || !equalsSemantically(podProfile, parseAppArmorAnnotation(appArmor))) {
      warnings.push(`${annotationsPath.key(appArmorKey)}: deprecated since v1.30; use the "appArmorProfile" field instead`)
    }
  }
  // Reports in upstream's order: memory before ephemeral storage, limits before requests.
  const { resources } = container
  if (resources?.limits !== undefined || resources?.requests !== undefined) {
    const at = path.child('resources')
    for (const name of byteResources) {
      warnings.push(
        ...findFractionWarning(name, resources.limits, at, 'limits'),
        ...findFractionWarning(name, resources.requests, at, 'requests'),
      )
    }
  }
  return [...warnings, ...findEnvWarnings(container, path)]
}

/** Returns warnings about duplicate environment variables. A variable that refers to its own previous value is not a duplicate. */
function findEnvWarnings({ env = [] }: ReadonlyContainer, path: FieldPath): string[] {
  return findRepeated(env, ({ name }) => name).flatMap(([i, name]) => {
    const { value = '', valueFrom } = env[i]!
    const reference = `$(${name})`
    if (valueFrom === undefined && value !== reference && value.includes(reference)) return []
    return [`${path.child('env').index(i)}: hides previous definition of ${quote(name)}, which may be dropped when using apply`]
  })
}
