import { batchV1 } from '@keelson/api/batch/v1'
import type { JobSpec } from '@keelson/api/batch/v1'
import type { PodTemplateSpec } from '@keelson/api/core/v1'
import { fieldError, isDNS1123Subdomain, formatRegexMessage, validateLabelSelector } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { createInvalidErrors, toInternalStruct, validatePodTemplateSpec, validateSupported } from '@keelson/resources-core'
import { validateMatchingLabels } from '../../workloads/matching-template.ts'
import { validateCounts } from '../../workloads/status-counts.ts'
import { hasInvalidLabelValue, parseSelector } from '../../workloads/workload-selector.ts'
import { validateCompletionMode } from './validate-completion-mode.ts'
import { validateFailurePolicy } from './validate-failure-policy.ts'
import { validateSuccessPolicy } from './validate-success-policy.ts'

type ReadonlySpec = DeepReadonly<JobSpec>

/** Validates the spec of a job after its selector was generated. */
export function validateJobSpec(spec: ReadonlySpec, path: FieldPath, old?: ReadonlySpec): FieldErrorList {
  const { selector, template = {} } = spec
  const allowInvalidLabelValue = hasInvalidLabelValue(old?.selector)
  const selectorPath = path.child('selector')
  const parsed = parseSelector(selector)
  return [
    ...validateJobTemplate(spec, path, old?.template),
    ...(selector === undefined
      ? [fieldError.required(selectorPath)]
      : validateLabelSelector(selector, selectorPath, { allowInvalidLabelValue })),
    ...(parsed === undefined ? [] : validateMatchingLabels(template, parsed, path.child('template'))),
  ]
}

/** Validates everything except the selector, for jobs and for the job template of a cron job. */
export function validateJobTemplate(spec: ReadonlySpec, path: FieldPath, oldTemplate?: DeepReadonly<PodTemplateSpec>): FieldErrorList {
  const { parallelism, completions, activeDeadlineSeconds, backoffLimit, ttlSecondsAfterFinished } = spec
  const { backoffLimitPerIndex, maxFailedIndexes, managedBy } = spec
  const counts = { parallelism, completions, activeDeadlineSeconds, backoffLimit, ttlSecondsAfterFinished }
  const errors = validateCounts({ ...counts, backoffLimitPerIndex, maxFailedIndexes }, path)
  if (maxFailedIndexes !== undefined && backoffLimitPerIndex === undefined) {
    errors.push(fieldError.required(path.child('backoffLimitPerIndex'), 'when maxFailedIndexes is specified'))
  }
  if (managedBy !== undefined) errors.push(...validateManagedBy(managedBy, path.child('managedBy')))
  return [
    ...errors,
    ...validateCompletionMode(spec, path),
    ...validatePolicies(spec, path),
    ...validatePodTemplateSpec(spec.template ?? {}, path.child('template'), oldTemplate),
    ...validateRestartPolicy(spec, path.child('template', 'spec', 'restartPolicy')),
  ]
}

function validatePolicies(spec: ReadonlySpec, path: FieldPath): FieldErrorList {
  const errors = spec.podFailurePolicy === undefined ? [] : validateFailurePolicy(spec, path.child('podFailurePolicy'))
  if (spec.successPolicy !== undefined) {
    const at = path.child('successPolicy')
    if (spec.completionMode === 'Indexed') errors.push(...validateSuccessPolicy(spec, at))
    else
      errors.push(
        fieldError.invalid(
          at,
          toInternalStruct(batchV1.table.resolve('SuccessPolicy'), spec.successPolicy),
          'requires indexed completion mode',
        ),
      )
  }
  const replacements = spec.podFailurePolicy === undefined ? ['Failed', 'TerminatingOrFailed'] : ['Failed']
  return [...errors, ...validateSupported(spec.podReplacementPolicy, replacements, path.child('podReplacementPolicy'))]
}

/** Validates the restart policy of the pods. "Always" is invalid, because the pods of a job must terminate. */
function validateRestartPolicy({ template, podFailurePolicy }: ReadonlySpec, path: FieldPath): FieldErrorList {
  const policy = template?.spec?.restartPolicy ?? ''
  if (policy === '' || policy === 'Always') return [fieldError.required(path, 'valid values: "OnFailure", "Never"')]
  if (policy !== 'OnFailure' && policy !== 'Never') return [fieldError.notSupported(path, policy, ['OnFailure', 'Never'])]
  if (podFailurePolicy === undefined || policy === 'Never') return []
  return [fieldError.invalid(path, policy, 'only "Never" is supported when podFailurePolicy is specified')]
}

const maxLength = 63
const pathFormat = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+"
const pathPattern = new RegExp(`^${pathFormat}$`)

/** Validates the name of the job's controller, such as "example.com/controller". */
function validateManagedBy(managedBy: string, path: FieldPath): FieldErrorList {
  const errors = validatePrefixedPath(managedBy, path)
  return Buffer.byteLength(managedBy) > maxLength ? [...errors, fieldError.tooLong(path, maxLength)] : errors
}

function validatePrefixedPath(text: string, path: FieldPath): FieldErrorList {
  if (text === '') return [fieldError.required(path)]
  const slash = text.indexOf('/')
  const [host, rest] = [text.slice(0, Math.max(0, slash)), text.slice(slash + 1)]
  if (host === '' || rest === '') return [fieldError.invalid(path, text, 'must be a domain-prefixed path (such as "acme.io/foo")')]
  const errors = createInvalidErrors(isDNS1123Subdomain(host), host, path)
  if (!pathPattern.test(rest)) errors.push(fieldError.invalid(path, rest, formatRegexMessage('Invalid path', pathFormat)))
  return errors
}
