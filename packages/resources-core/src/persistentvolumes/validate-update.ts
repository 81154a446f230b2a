import { coreV1 } from '@keelson/api/core/v1'
import type { NodeSelectorRequirement, PersistentVolume, PersistentVolumeSpec, VolumeNodeAffinity } from '@keelson/api/core/v1'
import {
  fieldError,
  newFieldPath,
  immutableMessage,
  equalsSemantically,
  validateImmutableField,
  validateObjectMeta,
} from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList } from '@keelson/apimachinery'
import { toInternalStruct } from '../internal-structs/to-internal-struct.ts'
import { formatLineDiff } from '../line-diff.ts'
import { sourceFields } from './validate-source.ts'
import { validatePersistentVolume, validateVolumeSpec } from './validate.ts'

type ReadonlyVolume = DeepReadonly<PersistentVolume>
type ReadonlySpec = DeepReadonly<PersistentVolumeSpec>
type Affinity = DeepReadonly<VolumeNodeAffinity>
type Requirement = DeepReadonly<NodeSelectorRequirement>

/**
 * Validates an update of a PersistentVolume. The volume source is immutable. Like kube-apiserver, validates metadata and spec twice and
 * reports their errors twice.
 */
export function validatePersistentVolumeUpdate(volume: ReadonlyVolume, old: ReadonlyVolume): FieldErrorList {
  const { spec = {} } = volume
  const { spec: oldSpec = {} } = old
  const errors = [
    ...validatePersistentVolume(volume, old),
    ...validateObjectMeta(volume.metadata, { namespaced: false }),
    ...validateVolumeSpec(volume, old),
  ]
  const source = toComparableSource(spec, oldSpec)
  const oldSource = pickSource(oldSpec)
  if (!equalsSemantically(source, oldSource)) {
    const detail = `spec.persistentvolumesource is immutable after creation\n${diffSources(oldSource, source)}`
    errors.push(fieldError.forbidden(newFieldPath('spec', 'persistentvolumesource'), detail))
  }
  errors.push(...validateImmutableField(spec.volumeMode, oldSpec.volumeMode, newFieldPath('volumeMode')))
  if (oldSpec.nodeAffinity !== undefined && !isSameAffinity(spec.nodeAffinity, oldSpec.nodeAffinity)) {
    const detail = `${immutableMessage}, except for updating from beta label to GA`
    errors.push(fieldError.invalid(newFieldPath('nodeAffinity'), printAffinity(spec.nodeAffinity), detail))
  }
  if (oldSpec.volumeAttributesClassName !== undefined && spec.volumeAttributesClassName === undefined) {
    const detail = 'update from non-nil value to nil is forbidden'
    errors.push(fieldError.forbidden(newFieldPath('spec', 'volumeAttributesClassName'), detail))
  }
  return errors
}

function pickSource(spec: ReadonlySpec): Record<string, unknown> {
  return Object.fromEntries(sourceFields.flatMap((member) => (spec[member] === undefined ? [] : [[member, spec[member]]])))
}

/** Returns the volume source for the comparison with the stored source. Omits a new `controllerExpandSecretRef`, which can be set once. */
function toComparableSource(spec: ReadonlySpec, old: ReadonlySpec): Record<string, unknown> {
  const source = pickSource(spec)
  if (spec.csi === undefined || old.csi === undefined || old.csi.controllerExpandSecretRef !== undefined) return source
  const { controllerExpandSecretRef: _added, ...csi } = spec.csi
  return { ...source, csi }
}

const stableLabels: ReadonlyMap<string, string> = new Map([
  ['failure-domain.beta.kubernetes.io/zone', 'topology.kubernetes.io/zone'],
  ['failure-domain.beta.kubernetes.io/region', 'topology.kubernetes.io/region'],
  ['beta.kubernetes.io/os', 'kubernetes.io/os'],
  ['beta.kubernetes.io/arch', 'kubernetes.io/arch'],
  ['beta.kubernetes.io/instance-type', 'node.kubernetes.io/instance-type'],
])

/** Returns whether two node affinities are equal. A deprecated label counts as equal to its replacement. */
function isSameAffinity(affinity: Affinity | undefined, old: Affinity): boolean {
  if (equalsSemantically(affinity, old)) return true
  const terms = affinity?.required?.nodeSelectorTerms ?? []
  const oldTerms = old.required?.nodeSelectorTerms ?? []
  if (affinity?.required === undefined || old.required === undefined || terms.length !== oldTerms.length) return false
  return terms.every((term, i) =>
    (['matchExpressions', 'matchFields'] as const).every((member) => haveSameRequirements(term[member] ?? [], oldTerms[i]?.[member] ?? [])),
  )
}

function haveSameRequirements(requirements: readonly Requirement[], old: readonly Requirement[]): boolean {
  return (
    requirements.length === old.length &&
    requirements.every((requirement, i) => {
      const before = old[i]!
      const key = stableLabels.get(before.key) === requirement.key ? requirement.key : before.key
      return equalsSemantically(requirement, { ...before, key })
    })
  )
}

function printAffinity(affinity: Affinity | undefined): unknown {
  return affinity === undefined ? null : toInternalStruct(coreV1.table.resolve('VolumeNodeAffinity'), affinity)
}

function diffSources(old: unknown, source: unknown): string {
  return formatLineDiff(
    toInternalStruct(coreV1.table.resolve('PersistentVolumeSource'), old),
    toInternalStruct(coreV1.table.resolve('PersistentVolumeSource'), source),
  )
}
