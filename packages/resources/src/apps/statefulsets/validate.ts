import type { StatefulSet, StatefulSetSpec } from '@keelson/api/apps/v1'
import { fieldError, newFieldPath, equalsSemantically } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { validateClaimSpec, validateDNSLabel } from '@keelson/resources-core'
import { validateMatchingLabels, validateAlwaysRunning } from '../../workloads/matching-template.ts'
import { parseSelector, printSelector, validateWorkloadSelector } from '../../workloads/workload-selector.ts'
import { validateCounts } from '../../workloads/status-counts.ts'
import { validateTemplate } from './validate-template.ts'
import { validateUpdateStrategy } from './validate-update-strategy.ts'

type ReadonlySet = DeepReadonly<StatefulSet>
type ReadonlySpec = DeepReadonly<StatefulSetSpec>

const specPath = newFieldPath('spec')
const emptySpec: ReadonlySpec = { selector: null, template: {}, serviceName: '' }
/** Spec fields that an update may change. */
const mutableFields = [
  'replicas',
  'template',
  'updateStrategy',
  'minReadySeconds',
  'ordinals',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
] as const
const immutableMessage =
  "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden"

export function validateStatefulSet({ spec = emptySpec }: ReadonlySet): FieldErrorList {
  return validateSpec(spec, specPath, { isNew: true, skipTemplateSpec: false })
}

export function validateStatefulSetUpdate({ spec = emptySpec }: ReadonlySet, { spec: old = emptySpec }: ReadonlySet): FieldErrorList {
  const wasInvalid = validateSpec(old, specPath, { isNew: false, skipTemplateSpec: false, old }).length > 0
  const errors = validateSpec(spec, specPath, { isNew: false, skipTemplateSpec: wasInvalid, old })
  return equalsSemantically(withoutMutable(spec), withoutMutable(old))
    ? errors
    : [...errors, fieldError.forbidden(specPath, immutableMessage)]
}

function withoutMutable(spec: ReadonlySpec): object {
  return Object.fromEntries(Object.entries(spec).filter(([member]) => !(mutableFields as readonly string[]).includes(member)))
}

interface SpecOptions {
  /** True for a create. Immutable fields are only validated on create. */
  readonly isNew: boolean
  readonly skipTemplateSpec: boolean
  readonly old?: ReadonlySpec
}

function validateSpec(spec: ReadonlySpec, path: FieldPath, { isNew, skipTemplateSpec, old }: SpecOptions): FieldErrorList {
  const { podManagementPolicy: policy = '', serviceName, selector, template = {}, replicas, minReadySeconds, ordinals } = spec
  const retention = spec.persistentVolumeClaimRetentionPolicy
  const retentionPath = path.child('persistentVolumeClaimRetentionPolicy')
  const claimsPath = path.child('volumeClaimTemplates')
  const templatePath = path.child('template')
  const claims = isNew ? (spec.volumeClaimTemplates ?? []) : []
  const parsed = parseSelector(selector)
  return [
    ...validateManagementPolicy(policy, path.child('podManagementPolicy')),
    ...validateUpdateStrategy(spec.updateStrategy ?? {}, path.child('updateStrategy')),
    ...(retention === undefined
      ? []
      : (['whenDeleted', 'whenScaled'] as const).flatMap((member) => validateRetention(retention[member], retentionPath.child(member)))),
    ...claims.flatMap((claim, i) => validateClaimSpec(claim.spec ?? {}, claimsPath.index(i).child('spec'))),
    ...validateCounts({ replicas, minReadySeconds, 'ordinals.start': ordinals?.start }, path),
    ...(isNew && serviceName ? validateDNSLabel(serviceName, path.child('serviceName')) : []),
    ...validateWorkloadSelector(selector, path.child('selector'), 'statefulset'),
    ...(parsed === undefined
      ? [fieldError.invalid(path.child('selector'), printSelector(selector), '')]
      : [
          ...validateMatchingLabels(template, parsed, templatePath),
          ...validateTemplate(spec, templatePath, { old: old?.template, skipSpec: skipTemplateSpec }),
        ]),
    ...validateAlwaysRunning(template, templatePath, 'StatefulSet'),
  ]
}

function validateManagementPolicy(policy: string, path: FieldPath): FieldErrorList {
  if (policy === '') return [fieldError.required(path)]
  return policy === 'OrderedReady' || policy === 'Parallel'
    ? []
    : [fieldError.invalid(path, policy, "must be 'OrderedReady' or 'Parallel'")]
}

function validateRetention(policy: string | undefined, path: FieldPath): FieldErrorList {
  return policy === 'Retain' || policy === 'Delete' ? [] : [fieldError.notSupported(path, policy ?? '', ['Retain', 'Delete'])]
}
