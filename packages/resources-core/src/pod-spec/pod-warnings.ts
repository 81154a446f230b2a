import type { NodeAffinity, PodAffinity } from '@keelson/api/core/v1'
import { fieldPath, parseQuantity, quote, semanticEqual } from '@keelson/apimachinery'
import type { DeepReadonly, FieldPath, ObjectMeta } from '@keelson/apimachinery'
import { ipWarnings } from '../ip-address.ts'
import { appArmorContainerPrefix, seccompContainerPrefix, seccompPodAnnotation } from './annotation-keys.ts'
import { appArmorProfileOf } from './app-armor-annotation.ts'
import { nodeLabelDeprecation, nodeTermWarnings } from './node-label-warnings.ts'
import { overlappingPathWarnings } from './overlapping-paths.ts'
import { portWarnings } from './port-warnings.ts'
import { isFractional } from './resource-quantities.ts'
import type { ResourceList } from './resource-quantities.ts'
import { containersWithPath } from './visit-containers.ts'
import type { ContainerAt, ReadonlyContainer, ReadonlyPodSpec } from './visit-containers.ts'
import { volumeWarnings } from './volume-warnings.ts'

export interface PodLikeObject {
  readonly metadata?: DeepReadonly<ObjectMeta>
  readonly spec?: ReadonlyPodSpec
}

/** What a client should know although it is accepted. With `templatePath`, of a template at that place; without, of a pod. */
export function podWarnings({ metadata, spec = { containers: null } }: PodLikeObject, templatePath?: FieldPath): string[] {
  const path = templatePath ?? fieldPath()
  const specPath = path.child('spec')
  const annotations: Annotated = {
    annotations: metadata?.annotations ?? {},
    path: path.child('metadata', 'annotations'),
    isTemplate: templatePath !== undefined,
  }
  const containers = containersWithPath(spec, specPath)
  return [
    ...schedulingWarnings(spec, specPath),
    ...deprecatedAnnotations
      .filter(([key]) => Object.hasOwn(annotations.annotations, key))
      .map(([key, message]) => `${annotations.path.key(key)}: ${message}`),
    ...(spec.volumes ?? []).flatMap((volume, i) => volumeWarnings(volume, specPath.child('volumes').index(i))),
    ...overlappingPathWarnings(spec.volumes ?? []),
    ...repeated((spec.hostAliases ?? []).map(({ ip }) => ip)).map(
      ([i, ip]) => `${specPath.child('hostAliases').index(i).child('ip')}: duplicate ip ${quote(ip)}`,
    ),
    ...pullSecretWarnings(spec, specPath.child('imagePullSecrets')),
    ...fractionWarnings(spec.overhead, specPath.child('overhead')),
    ...profileWarnings(spec, annotations),
    ...containers.flatMap((at) => containerWarnings(at, spec, annotations)),
    ...portWarnings(containers),
    ...((spec.terminationGracePeriodSeconds ?? 0) < 0
      ? [`${specPath.child('terminationGracePeriodSeconds')}: must be >= 0; negative values are invalid and will be treated as 1`]
      : []),
    ...podAffinityWarnings(spec.affinity?.podAffinity, specPath.child('affinity', 'podAffinity')),
    ...podAffinityWarnings(spec.affinity?.podAntiAffinity, specPath.child('affinity', 'podAntiAffinity')),
    ...(spec.dnsConfig?.nameservers ?? []).flatMap((server, i) => ipWarnings(server, specPath.child('dnsConfig', 'nameservers').index(i))),
    ...(spec.hostAliases ?? []).flatMap(({ ip }, i) => ipWarnings(ip, specPath.child('hostAliases').index(i).child('ip'))),
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

function schedulingWarnings(spec: ReadonlyPodSpec, path: FieldPath): string[] {
  const warnings = Object.keys(spec.nodeSelector ?? {}).flatMap((key) => {
    const message = nodeLabelDeprecation(key)
    return message === undefined ? [] : [`${path.child('nodeSelector').key(key)}: ${message}`]
  })
  if (spec.affinity?.nodeAffinity !== undefined) {
    warnings.push(...nodeAffinityWarnings(spec.affinity.nodeAffinity, path.child('affinity', 'nodeAffinity')))
  }
  for (const [i, { topologyKey, labelSelector }] of (spec.topologySpreadConstraints ?? []).entries()) {
    const at = path.child('topologySpreadConstraints').index(i)
    const message = nodeLabelDeprecation(topologyKey)
    if (message !== undefined) warnings.push(`${at.child('topologyKey')}: ${topologyKey} is ${message}`)
    if (labelSelector === undefined) warnings.push(matchesNothing(at.child('labelSelector')))
  }
  return warnings
}

function nodeAffinityWarnings(affinity: DeepReadonly<NodeAffinity>, path: FieldPath): string[] {
  const { requiredDuringSchedulingIgnoredDuringExecution: required, preferredDuringSchedulingIgnoredDuringExecution: preferred } = affinity
  const termsPath = path.child('requiredDuringSchedulingIgnoredDuringExecution', 'nodeSelectorTerms')
  const preferredPath = path.child('preferredDuringSchedulingIgnoredDuringExecution')
  return [
    ...(required?.nodeSelectorTerms ?? []).flatMap((term, i) => nodeTermWarnings(term, { path: termsPath.index(i), checkValues: false })),
    ...(preferred ?? []).flatMap(({ preference }, i) =>
      nodeTermWarnings(preference ?? {}, { path: preferredPath.index(i).child('preference'), checkValues: true }),
    ),
  ]
}

function matchesNothing(path: FieldPath): string {
  return `${path}: a null labelSelector results in matching no pod`
}

function podAffinityWarnings(affinity: DeepReadonly<PodAffinity> | undefined, path: FieldPath): string[] {
  if (affinity === undefined) return []
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

function pullSecretWarnings(spec: ReadonlyPodSpec, path: FieldPath): string[] {
  const names = (spec.imagePullSecrets ?? []).map(({ name = '' }) => name)
  return [
    ...repeated(names).map(([i, name]) => `${path.index(i).child('name')}: duplicate name ${quote(name)}`),
    ...names.flatMap((name, i) => (name === '' ? [`${path.index(i).child('name')}: invalid empty name ""`] : [])),
  ]
}

/** Those that were there before, with their place. */
function repeated(values: readonly string[]): [number, string][] {
  if (values.length < 2) return []
  const seen = new Set<string>()
  return [...values.entries()].filter(([, value]) => {
    if (seen.has(value)) return true
    seen.add(value)
    return false
  })
}

/** Bytes are whole. */
function fractionWarnings(list: ResourceList | undefined, path: FieldPath): string[] {
  return byteResources.flatMap((name) => fractionWarning(name, list?.[name], path) ?? [])
}

const byteResources = ['memory', 'ephemeral-storage'] as const

function fractionWarning(name: string, text: string | undefined, path: FieldPath): string | undefined {
  if (text === undefined || !isFractional(parseQuantity(text))) return undefined
  return `${path.key(name)}: fractional byte value ${quote(text)} is invalid, must be an integer`
}

function useSeccompField(path: FieldPath): string {
  return `${path}: non-functional in v1.27+; use the "seccompProfile" field instead`
}

function profileWarnings(spec: ReadonlyPodSpec, { annotations, path }: Annotated): string[] {
  if (spec.securityContext?.seccompProfile !== undefined || !Object.hasOwn(annotations, seccompPodAnnotation)) return []
  return [useSeccompField(path.key(seccompPodAnnotation))]
}

function containerWarnings({ container, path }: ContainerAt, spec: ReadonlyPodSpec, annotated: Annotated): string[] {
  const { annotations, path: annotationsPath, isTemplate } = annotated
  const warnings: string[] = []
  const seccompKey = seccompContainerPrefix + container.name
  if (container.securityContext?.seccompProfile === undefined && Object.hasOwn(annotations, seccompKey)) {
    warnings.push(useSeccompField(annotationsPath.key(seccompKey)))
  }
  // Pods are told of this when the annotation is applied.
  const appArmorKey = appArmorContainerPrefix + container.name
  const appArmor = annotations[appArmorKey]
  if (isTemplate && appArmor !== undefined && container.securityContext?.appArmorProfile === undefined) {
    const ofPod = spec.securityContext?.appArmorProfile
    if (ofPod === undefined || !semanticEqual(ofPod, appArmorProfileOf(appArmor))) {
      warnings.push(`${annotationsPath.key(appArmorKey)}: deprecated since v1.30; use the "appArmorProfile" field instead`)
    }
  }
  // Memory first, then storage, each of limits and requests.
  const { resources } = container
  for (const name of resources === undefined ? [] : byteResources) {
    for (const member of ['limits', 'requests'] as const) {
      const warning = fractionWarning(name, resources?.[member]?.[name], path.child('resources', member))
      if (warning !== undefined) warnings.push(warning)
    }
  }
  return [...warnings, ...envWarnings(container, path)]
}

/** A later variable of the same name is fine when it extends the first. */
function envWarnings({ env = [] }: ReadonlyContainer, path: FieldPath): string[] {
  return repeated(env.map(({ name }) => name)).flatMap(([i, name]) => {
    const { value = '', valueFrom } = env[i]!
    const reference = `$(${name})`
    if (valueFrom === undefined && value !== reference && value.includes(reference)) return []
    return [`${path.child('env').index(i)}: hides previous definition of ${quote(name)}, which may be dropped when using apply`]
  })
}
