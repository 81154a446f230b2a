import type { ObjectMeta, DeepReadonly } from '@keelson/apimachinery'
import { isValidLabelValue, parseQuantity, validateLabelSelector, newFieldPath } from '@keelson/apimachinery'
import { hasValidDeletionCost } from './deletion-cost.ts'
import { listPodAffinityTerms } from './pod-affinity-terms.ts'
import { isHugePages } from './resource-names.ts'
import { isDivisibleHugePages } from './resource-quantities.ts'
import { findSysctlError } from './validate-sysctls.ts'
import { validateLabelKeys } from './validate-topology-spread.ts'
import { validateUnreservedPath } from './validate-paths.ts'
import { listContainers, isSidecar, hasContainer } from './visit-containers.ts'
import type { ReadonlyPodSpec } from './visit-containers.ts'

/**
 * Options for validating a pod spec. An option `allow…` is true if the stored pod already has the value that a create rejects (ratcheting).
 */
export interface PodRules {
  /** True for a pod, false for a pod template. Some rules apply only to pods. */
  readonly isPod: boolean
  readonly allowInvalidDeletionCost: boolean
  readonly allowInvalidAffinityLabelValues: boolean
  readonly allowInvalidNodeAffinityLabelValues: boolean
  readonly allowInvalidSpreadSelectors: boolean
  readonly allowInvalidSpreadLabelKeys: boolean
  readonly allowIndivisibleHugePages: boolean
  readonly allowNonLocalTokenPaths: boolean
  readonly allowHostNamespaceSysctls: boolean
  readonly allowMountOptionSELinuxChange: boolean
  readonly allowComparingTolerations: boolean
  readonly allowHostUsersWithVolumeDevices: boolean
  readonly allowHostUsersWithHostNetwork: boolean
  readonly allowInitRestartContainerResize: boolean
}

const strict: PodRules = {
  isPod: true,
  allowInvalidDeletionCost: false,
  allowInvalidAffinityLabelValues: false,
  allowInvalidNodeAffinityLabelValues: false,
  allowInvalidSpreadSelectors: false,
  allowInvalidSpreadLabelKeys: false,
  allowIndivisibleHugePages: false,
  allowNonLocalTokenPaths: false,
  allowHostNamespaceSysctls: false,
  allowMountOptionSELinuxChange: false,
  allowComparingTolerations: false,
  allowHostUsersWithVolumeDevices: false,
  allowHostUsersWithHostNetwork: false,
  allowInitRestartContainerResize: false,
}

export interface PodLike {
  readonly metadata?: DeepReadonly<ObjectMeta> | undefined
  readonly spec?: ReadonlyPodSpec | undefined
}

/** Creates the validation options for a new pod or template, or for an update of `old`. */
export function createPodRules(kind: 'pod' | 'template', old?: PodLike): PodRules {
  const isPod = kind === 'pod'
  const spec = old?.spec
  if (spec === undefined) return { ...strict, isPod }
  return {
    isPod,
    allowInvalidDeletionCost: !hasValidDeletionCost(old?.metadata?.annotations),
    allowInvalidAffinityLabelValues: hasInvalidAffinitySelector(spec),
    allowInvalidNodeAffinityLabelValues: hasInvalidNodeAffinityValue(spec),
    allowInvalidSpreadSelectors: getSpreadConstraints(spec).some((c) => validateLabelSelector(c.labelSelector, unusedPath).length > 0),
    allowInvalidSpreadLabelKeys: getSpreadConstraints(spec).some((c) => validateLabelKeys(c, unusedPath).length > 0),
    allowIndivisibleHugePages: hasIndivisibleHugePages(spec),
    allowNonLocalTokenPaths: collectTokenPaths(spec).some((path) => validateUnreservedPath(path, unusedPath).length > 0),
    allowHostNamespaceSysctls: (spec.securityContext?.sysctls ?? []).some(({ name }) => findSysctlError(name, spec) !== undefined),
    allowMountOptionSELinuxChange: spec.securityContext?.seLinuxChangePolicy !== undefined,
    allowComparingTolerations: (spec.tolerations ?? []).some(({ operator }) => operator === 'Lt' || operator === 'Gt'),
    allowHostUsersWithVolumeDevices:
      spec.hostUsers === false && hasContainer(spec, ({ volumeDevices }) => (volumeDevices ?? []).length > 0),
    allowHostUsersWithHostNetwork: spec.hostUsers === false && spec.hostNetwork === true,
    allowInitRestartContainerResize: (spec.initContainers ?? []).some(
      (container) =>
        !isSidecar(container) && (container.resizePolicy ?? []).some(({ restartPolicy }) => restartPolicy === 'RestartContainer'),
    ),
  }
}

const unusedPath = newFieldPath()

function getSpreadConstraints(spec: ReadonlyPodSpec): NonNullable<ReadonlyPodSpec['topologySpreadConstraints']> {
  return spec.topologySpreadConstraints ?? []
}

function hasInvalidAffinitySelector({ affinity }: ReadonlyPodSpec): boolean {
  const terms = listPodAffinityTerms(affinity)
  return terms.some((term) =>
    [term.labelSelector, term.namespaceSelector].some((selector) => validateLabelSelector(selector, unusedPath).length > 0),
  )
}

function hasInvalidNodeAffinityValue({ affinity }: ReadonlyPodSpec): boolean {
  const terms = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? []
  const values = terms.flatMap(({ matchExpressions }) => (matchExpressions ?? []).flatMap((expression) => expression.values ?? []))
  return values.some((value) => isValidLabelValue(value).length > 0)
}

function hasIndivisibleHugePages(spec: ReadonlyPodSpec): boolean {
  const lists = [spec.overhead, ...listContainers(spec).flatMap(({ resources }) => [resources?.limits, resources?.requests])]
  return lists.some((list) =>
    Object.entries(list ?? {}).some(([name, text]) => isHugePages(name) && !isDivisibleHugePages(name, parseQuantity(text))),
  )
}

function collectTokenPaths(spec: ReadonlyPodSpec): readonly string[] {
  return (spec.volumes ?? []).flatMap(({ projected }) =>
    (projected?.sources ?? []).flatMap(({ serviceAccountToken }) => (serviceAccountToken === undefined ? [] : [serviceAccountToken.path])),
  )
}
