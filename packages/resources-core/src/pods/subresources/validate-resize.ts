import type { Container, Pod, ResourceRequirements } from '@keelson/api/core/v1'
import { fieldError, newFieldPath, equalsSemantically, unnamedPath } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { mirrorAnnotation } from '../../pod-spec/annotation-keys.ts'
import { createPodRules } from '../../pod-spec/pod-rules.ts'
import { isSidecar } from '../../pod-spec/visit-containers.ts'
import type { ReadonlyPodSpec } from '../../pod-spec/visit-containers.ts'
import { computeQosClass } from '../qos.ts'
import { validatePod } from '../validate.ts'

type ReadonlyPod = DeepReadonly<Pod>
type Requirements = DeepReadonly<ResourceRequirements>
type Amounts = Readonly<Record<string, string>>

const specPath = newFieldPath('spec')
const noSpec: ReadonlyPodSpec = { containers: null }

/** Validates a resize of a pod. Only CPU and memory may change. The QoS class must stay the same. */
export function validateResize(pod: ReadonlyPod, old: ReadonlyPod): FieldErrorList {
  const unsupportedReason = findUnsupportedReason(old)
  if (unsupportedReason !== undefined) return [fieldError.forbidden(unnamedPath, unsupportedReason)]
  const { spec = noSpec } = pod
  const { spec: oldSpec = noSpec } = old
  const errors = validatePod(pod, createPodRules('pod', old))
  if ((old.status?.qosClass || computeQosClass(old)) !== computeQosClass(pod)) {
    const detail = 'Pod QOS Class may not change as a result of resizing'
    errors.push(fieldError.invalid(specPath, pod.status?.qosClass ?? '', detail))
  }
  if (!canNodeResize(old)) errors.push(fieldError.forbidden(specPath, 'Pod running on node without support for resize'))
  errors.push(...validatePodLevel(spec.resources, oldSpec.resources))
  if ((old.status?.nodeAllocatableResourceClaimStatuses ?? []).length > 0) {
    errors.push(fieldError.forbidden(specPath, 'pods with node allocatable resource claims cannot be resized'))
  }
  const orderErrors = (['containers', 'initContainers'] as const).flatMap((list) => validateOrder(list, spec, oldSpec))
  if (orderErrors.length > 0) return [...errors, ...orderErrors]
  for (const list of ['initContainers', 'containers'] as const) errors.push(...validateKeptNames(list, spec, oldSpec))
  errors.push(...validateContainers(spec, oldSpec), ...validateInitContainers(spec, oldSpec))
  if (errors.length > 0 || equalsSemantically(copyAmounts(oldSpec, spec), oldSpec)) return errors
  return [fieldError.forbidden(specPath, 'only cpu and memory resources are mutable')]
}

function findUnsupportedReason({ metadata, spec }: ReadonlyPod): string | undefined {
  if (metadata.annotations?.[mirrorAnnotation] !== undefined) return 'static pods cannot be resized'
  return spec?.os?.name === 'windows' ? 'windows pods cannot be resized' : undefined
}

/** Returns whether the node of a pod supports resizing. The kubelet of such a node reports the resources of running containers. */
function canNodeResize({ status }: ReadonlyPod): boolean {
  const running = (status?.containerStatuses ?? []).find(({ state }) => state?.running !== undefined)
  return running === undefined || running.resources !== undefined
}

function validatePodLevel(resources: Requirements | undefined, old: Requirements | undefined): FieldErrorList {
  const amounts = [resources?.requests, resources?.limits, old?.requests, old?.limits]
  if (amounts.every((list) => Object.keys(list ?? {}).length === 0)) return []
  const path = specPath.child('resources')
  if (old !== undefined && resources === undefined) return [fieldError.forbidden(path, 'pod-level resources cannot be removed')]
  const errors: FieldErrorList = []
  for (const member of ['requests', 'limits'] as const) {
    if (!hasAll(resources?.[member], old?.[member])) {
      errors.push(fieldError.forbidden(path.child(member), `pod-level resource ${member} cannot be removed`))
    }
  }
  if (!equalsSemantically(replacePodLevelAmounts(old, resources), old)) {
    errors.push(fieldError.forbidden(specPath, 'only cpu and memory resources are mutable at pod-level'))
  }
  return errors
}

function replacePodLevelAmounts(old: Requirements | undefined, resources: Requirements | undefined): Requirements | undefined {
  if (resources === undefined) return undefined
  const changed = replaceAmounts(old ?? {}, resources)
  const empty = [changed.requests, changed.limits].every((list) => Object.keys(list ?? {}).length === 0)
  return old === undefined && empty && (resources.claims ?? []).length === 0 ? undefined : { ...resources, ...changed }
}

type List = 'containers' | 'initContainers'

function validateOrder(list: List, spec: ReadonlyPodSpec, old: ReadonlyPodSpec): FieldErrorList {
  const containers = spec[list] ?? []
  const before = old[list] ?? []
  const path = specPath.child(list)
  if (containers.length !== before.length) return [fieldError.forbidden(path, `${list} may not be added or removed on resize`)]
  return before.flatMap(({ name }, i) =>
    containers[i]!.name === name
      ? []
      : [fieldError.forbidden(path.index(i).child('name'), `${list} may not be renamed or reordered on resize`)],
  )
}

function validateKeptNames(list: List, spec: ReadonlyPodSpec, old: ReadonlyPodSpec): FieldErrorList {
  return (old[list] ?? []).flatMap((container, i) => {
    const resources = spec[list]?.[i]?.resources
    const path = specPath.child(list).index(i).child('resources')
    return (['requests', 'limits'] as const).flatMap((member) =>
      hasAll(resources?.[member], container.resources?.[member])
        ? []
        : [fieldError.forbidden(path.child(member), `resource ${member} cannot be removed`)],
    )
  })
}

function hasAll(amounts: Amounts = {}, old: Amounts = {}): boolean {
  return Object.keys(old).every((name) => Object.hasOwn(amounts, name))
}

function validateContainers(spec: ReadonlyPodSpec, old: ReadonlyPodSpec): FieldErrorList {
  return (spec.containers ?? []).flatMap((container, i) => {
    const before = old.containers![i]!
    if (equalsSemantically(replaceContainerAmounts(before, container), withResources(before))) return []
    return [fieldError.forbidden(specPath, 'only cpu and memory resources are mutable')]
  })
}

function validateInitContainers(spec: ReadonlyPodSpec, old: ReadonlyPodSpec): FieldErrorList {
  return (spec.initContainers ?? []).flatMap((container, i) => {
    const before = old.initContainers![i]!
    const path: FieldPath = specPath.child('initContainers').index(i)
    const errors: FieldErrorList = []
    if (!equalsSemantically(replaceContainerAmounts(before, container), withResources(before))) {
      errors.push(fieldError.forbidden(path, 'only cpu and memory resources for init or sidecar containers are mutable'))
    }
    if (!isSidecar(container) && !equalsSemantically(container, before)) {
      const detail = 'non-sidecar init containers with a resize policy of RestartContainer cannot be resized'
      for (const { restartPolicy } of container.resizePolicy ?? []) {
        if (restartPolicy === 'RestartContainer') errors.push(fieldError.forbidden(path, detail))
      }
    }
    return errors
  })
}

/** Returns a copy of `spec` with the CPU and memory quantities of `old`. */
function copyAmounts(old: ReadonlyPodSpec, spec: ReadonlyPodSpec): ReadonlyPodSpec {
  const resources = replacePodLevelAmounts(old.resources, spec.resources)
  const { resources: _resources, ...rest } = spec
  const list = (name: List): readonly DeepReadonly<Container>[] | undefined =>
    spec[name]?.map((container, i) => {
      const before = old[name]![i]!
      return equalsSemantically(replaceContainerAmounts(before, container), withResources(before)) ? before : container
    })
  return {
    ...rest,
    ...(resources && { resources }),
    containers: list('containers') ?? null,
    ...(spec.initContainers && { initContainers: list('initContainers')! }),
  }
}

function replaceContainerAmounts(old: DeepReadonly<Container>, container: DeepReadonly<Container>): DeepReadonly<Container> {
  return { ...container, resources: replaceAmounts(old.resources ?? {}, container.resources ?? {}) }
}

function withResources(container: DeepReadonly<Container>): DeepReadonly<Container> {
  const { limits, requests, ...rest } = container.resources ?? {}
  return { ...container, resources: { ...rest, ...omitEmptyLists({ limits, requests }) } }
}

function replaceAmounts(old: Requirements, resources: Requirements): Requirements {
  const list = (member: 'limits' | 'requests'): Amounts => {
    const { cpu: _cpu, memory: _memory, ...rest } = resources[member] ?? {}
    const before = old[member]
    return {
      ...rest,
      ...(before?.['cpu'] !== undefined && { cpu: before['cpu'] }),
      ...(before?.['memory'] !== undefined && { memory: before['memory'] }),
    }
  }
  return omitEmptyLists({ limits: list('limits'), requests: list('requests') })
}

function omitEmptyLists(lists: { readonly limits?: Amounts | undefined; readonly requests?: Amounts | undefined }): Requirements {
  return Object.fromEntries(Object.entries(lists).filter(([, list]) => Object.keys(list ?? {}).length > 0))
}
