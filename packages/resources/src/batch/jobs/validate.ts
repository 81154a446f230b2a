import { batchV1 } from '@keelson/api/batch/v1'
import type { Job, JobSpec } from '@keelson/api/batch/v1'
import { fieldError, newFieldPath, isDNS1123Label, equalsSemantically, validateImmutableField } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList } from '@keelson/apimachinery'
import { toInternalStruct } from '@keelson/resources-core'
import { validateImmutableSelector } from '../../workloads/immutable-selector.ts'
import { controllerUidLabel, jobNameLabel } from './job-labels.ts'
import { validateGeneratedSelector } from './validate-generated-selector.ts'
import { validateJobSpec } from './validate-spec.ts'
import { validateTemplateUpdate } from './validate-template-update.ts'

type ReadonlyJob = DeepReadonly<Job>
type ReadonlySpec = DeepReadonly<JobSpec>

const specPath = newFieldPath('spec')
const emptySpec: ReadonlySpec = { template: {} }

export function validateJob(job: ReadonlyJob): FieldErrorList {
  return validateWithMetadata(job, validateJobSpec(job.spec ?? emptySpec, specPath), true)
}

/** Validates an update of a job. Like kube-apiserver, reports errors of the spec twice: for the job and for the update. */
export function validateJobUpdate(job: ReadonlyJob, old: ReadonlyJob): FieldErrorList {
  const { spec = emptySpec } = job
  const { spec: oldSpec = emptySpec } = old
  const errors = validateJobSpec(spec, specPath, oldSpec)
  const oldLabels = oldSpec.template?.metadata?.labels ?? {}
  const hadPrefixed = [jobNameLabel, controllerUidLabel].every((key) => Object.hasOwn(oldLabels, key))
  const validatePolicyUnchanged = <M extends 'podFailurePolicy' | 'successPolicy'>(member: M): FieldErrorList => {
    const type = member === 'podFailurePolicy' ? 'PodFailurePolicy' : 'SuccessPolicy'
    const toInternal = (value: unknown): unknown => (value === undefined ? null : toInternalStruct(batchV1.table.resolve(type), value))
    return validateImmutableField(toInternal(spec[member]), toInternal(oldSpec[member]), specPath.child(member))
  }
  const validateScalarUnchanged = (member: 'completionMode' | 'backoffLimitPerIndex' | 'managedBy'): FieldErrorList =>
    validateImmutableField(spec[member], oldSpec[member], specPath.child(member))
  return [
    ...validateWithMetadata(job, errors, hadPrefixed),
    ...errors,
    ...validateCompletions(spec, oldSpec),
    ...validateImmutableSelector(spec.selector, oldSpec.selector, specPath.child('selector')),
    ...validateTemplateUpdate(job, old, specPath),
    ...validateScalarUnchanged('completionMode'),
    ...validatePolicyUnchanged('podFailurePolicy'),
    ...validateScalarUnchanged('backoffLimitPerIndex'),
    ...validateScalarUnchanged('managedBy'),
    ...validatePolicyUnchanged('successPolicy'),
  ]
}

function validateWithMetadata(job: ReadonlyJob, specErrors: FieldErrorList, requirePrefixed: boolean): FieldErrorList {
  return [...validateGeneratedSelector(job, requirePrefixed), ...specErrors, ...validateHostname(job)]
}

/** Validates the hostname of an indexed job's last pod, which is the longest one. */
function validateHostname({ metadata, spec }: ReadonlyJob): FieldErrorList {
  const completions = spec?.completions ?? 0
  if (spec?.completionMode !== 'Indexed' || completions <= 0) return []
  const hostname = `${metadata.name ?? ''}-${completions - 1}`
  if (isDNS1123Label(hostname).length === 0) return []
  const detail = `will not able to create pod with invalid DNS label: ${hostname}`
  return [fieldError.invalid(newFieldPath('metadata', 'name'), metadata.name ?? '', detail)]
}

/** Validates a change of `completions`. An indexed job can change it only together with `parallelism`. */
function validateCompletions({ completionMode, completions, parallelism }: ReadonlySpec, old: ReadonlySpec): FieldErrorList {
  const path = specPath.child('completions')
  if (completionMode !== 'Indexed') return validateImmutableField(completions, old.completions, path)
  if (equalsSemantically(completions, old.completions) || completions === undefined || completions === parallelism) return []
  return [fieldError.invalid(path, completions, 'can only be modified in tandem with spec.parallelism')]
}
