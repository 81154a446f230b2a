import { coreV1 } from '@keelson/api/core/v1'
import type { NodeAffinity, NodeSelectorTerm } from '@keelson/api/core/v1'
import { copyEmptyMarks, fieldError, equalsSemantically } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import type { ReadonlyContainer, ReadonlyPodSpec } from '../pod-spec/visit-containers.ts'
import { toInternalStruct } from '../internal-structs/to-internal-struct.ts'
import { formatLineDiff } from '../line-diff.ts'
import { printMap } from '../print-map.ts'

const updatable = [
  '`spec.containers[*].image`',
  '`spec.initContainers[*].image`',
  '`spec.activeDeadlineSeconds`',
  '`spec.tolerations` (only additions to existing tolerations)',
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
].join(',')

/** Rejects changes of immutable fields in a pod spec. The caller must have checked that the number of containers is unchanged. */
export function validateSpecUnchanged(spec: ReadonlyPodSpec, old: ReadonlyPodSpec, path: FieldPath): FieldErrorList {
  if (equalsSemantically(spec, old)) return []
  const errors: FieldErrorList = []
  let comparableSpec = copyMutableFields(old, spec)
  // The scheduler does not consider a gated pod yet, so its node constraints can become stricter.
  if ((old.schedulingGates ?? []).length > 0) {
    const { affinity: oldAffinity } = old
    errors.push(...validateNodeSelector(spec, old, path.child('nodeSelector')))
    errors.push(...validateNodeAffinity(spec.affinity?.nodeAffinity, oldAffinity?.nodeAffinity, path.child('affinity', 'nodeAffinity')))
    const { podAffinity, podAntiAffinity } = spec.affinity ?? {}
    const unchanged =
      equalsSemantically(podAffinity, oldAffinity?.podAffinity) && equalsSemantically(podAntiAffinity, oldAffinity?.podAntiAffinity)
    const placed = { ...comparableSpec, nodeSelector: old.nodeSelector, ...(unchanged ? { affinity: oldAffinity } : undefined) }
    comparableSpec = copyEmptyMarks(placed, comparableSpec, ['nodeSelector']) as ReadonlyPodSpec
  }
  if (equalsSemantically(comparableSpec, old)) return errors
  const detail = `pod updates may not change fields other than ${updatable}\n${formatLineDiff(toInternalStruct(coreV1.table.resolve('PodSpec'), old), toInternalStruct(coreV1.table.resolve('PodSpec'), comparableSpec))}`
  return [...errors, fieldError.forbidden(path, detail)]
}

/** Returns a copy of `spec` with the mutable fields of `old`. */
function copyMutableFields(old: ReadonlyPodSpec, spec: ReadonlyPodSpec): ReadonlyPodSpec {
  const copyImages = (containers: readonly ReadonlyContainer[], before: readonly ReadonlyContainer[] | null | undefined): unknown =>
    containers.map((container, i) => copyEmptyMarks({ ...container, image: before?.[i]?.image }, container))
  const wasNegative = (old.terminationGracePeriodSeconds ?? 0) < 0 && spec.terminationGracePeriodSeconds === 1
  const unchanged = {
    ...spec,
    containers: copyImages(spec.containers ?? [], old.containers),
    ...(spec.initContainers === undefined ? undefined : { initContainers: copyImages(spec.initContainers, old.initContainers) }),
    activeDeadlineSeconds: old.activeDeadlineSeconds,
    schedulingGates: old.schedulingGates,
    tolerations: old.tolerations,
    ...(wasNegative ? { terminationGracePeriodSeconds: old.terminationGracePeriodSeconds } : undefined),
  }
  return copyEmptyMarks(unchanged, spec, ['schedulingGates', 'tolerations']) as ReadonlyPodSpec
}

function validateNodeSelector(spec: ReadonlyPodSpec, { nodeSelector: old = {} }: ReadonlyPodSpec, path: FieldPath): FieldErrorList {
  if (Object.entries(old).every(([key, value]) => spec.nodeSelector?.[key] === value)) return []
  return [
    fieldError.invalid(path, printMap(spec, 'nodeSelector'), 'only additions to spec.nodeSelector are allowed (no mutations or deletions)'),
  ]
}

function validateNodeAffinity(
  affinity: DeepReadonly<NodeAffinity> | undefined,
  old: DeepReadonly<NodeAffinity> | undefined,
  path: FieldPath,
): FieldErrorList {
  const before = old?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? []
  const terms = affinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? []
  const termsPath = path.child('requiredDuringSchedulingIgnoredDuringExecution', 'nodeSelectorTerms')
  if (before.length === 0) return []
  if (before.length !== terms.length) {
    const printed = terms.length === 0 ? null : terms.map((term) => toInternalStruct(coreV1.table.resolve('NodeSelectorTerm'), term))
    return [fieldError.invalid(termsPath, printed, 'no additions/deletions to non-empty NodeSelectorTerms list are allowed')]
  }
  return terms.flatMap((term, i) =>
    isAdditionOnly(term, before[i]!)
      ? []
      : [
          fieldError.invalid(
            termsPath.index(i),
            toInternalStruct(coreV1.table.resolve('NodeSelectorTerm'), term),
            'only additions are allowed (no mutations or deletions)',
          ),
        ],
  )
}

/**
 * Returns whether an update only adds requirements to a node selector term. Added requirements can only exclude nodes, because all
 * requirements of a term must match. An empty term matches no node, so it must stay empty.
 */
function isAdditionOnly(term: DeepReadonly<NodeSelectorTerm>, old: DeepReadonly<NodeSelectorTerm>): boolean {
  const members = ['matchExpressions', 'matchFields'] as const
  if (members.every((member) => (old[member] ?? []).length === 0)) return members.every((member) => (term[member] ?? []).length === 0)
  return members.every((member) => {
    const before = old[member] ?? []
    return equalsSemantically((term[member] ?? []).slice(0, before.length), before)
  })
}
