import { appsV1 } from '@keelson/api/apps/v1'
import type { DaemonSet, DaemonSetSpec, DaemonSetUpdateStrategy, RollingUpdateDaemonSet } from '@keelson/api/apps/v1'
import { fieldError, newFieldPath, equalsSemantically, validateLabelSelector } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { toInternalStruct, validatePodTemplateSpec } from '@keelson/resources-core'
import { validateImmutableSelector } from '../../workloads/immutable-selector.ts'
import { validateMatchingLabels, validateAlwaysRunning } from '../../workloads/matching-template.ts'
import { hasInvalidLabelValue, isEmptySelector, parseSelector, printSelector } from '../../workloads/workload-selector.ts'
import { validateCollisions, validateCounts } from '../../workloads/status-counts.ts'
import { isZero, validateAtMostAll, validateIntOrPercent } from '../int-or-percent.ts'
import { readTemplateGeneration } from './template-generation.ts'

type ReadonlySet = DeepReadonly<DaemonSet>

const specPath = newFieldPath('spec')
const statusPath = newFieldPath('status')
const emptySpec: DeepReadonly<DaemonSetSpec> = { selector: null, template: {} }

export function validateDaemonSet(set: ReadonlySet, old?: ReadonlySet): FieldErrorList {
  const { selector, template = {}, minReadySeconds, updateStrategy = {}, revisionHistoryLimit } = set.spec ?? emptySpec
  const templatePath = specPath.child('template')
  const selectorPath = specPath.child('selector')
  const parsed = parseSelector(selector)
  const isEmpty = selector !== undefined && selector !== null && isEmptySelector(selector)
  const allowInvalidLabelValue = hasInvalidLabelValue(old?.spec?.selector)
  return [
    ...validateLabelSelector(selector ?? undefined, selectorPath, { allowInvalidLabelValue }),
    ...(parsed === undefined ? [] : validateMatchingLabels(template, parsed, templatePath)),
    ...(isEmpty ? [fieldError.invalid(selectorPath, printSelector(selector), 'empty selector is invalid for daemonset')] : []),
    ...validatePodTemplateSpec(template, templatePath, old?.spec?.template),
    ...validateAlwaysRunning(template, templatePath, 'DaemonSet'),
    ...validateCounts({ minReadySeconds, templateGeneration: readTemplateGeneration(set) }, specPath),
    ...validateUpdateStrategy(updateStrategy, specPath.child('updateStrategy')),
    ...validateCounts({ revisionHistoryLimit }, specPath),
  ]
}

export function validateDaemonSetUpdate(set: ReadonlySet, old: ReadonlySet): FieldErrorList {
  return [
    ...validateTemplateGeneration(set, old),
    ...validateImmutableSelector(set.spec?.selector, old.spec?.selector, specPath.child('selector')),
    ...validateDaemonSet(set, old),
  ]
}

/** Requires that the template generation grows if and only if the template changes. */
function validateTemplateGeneration(set: ReadonlySet, old: ReadonlySet): FieldErrorList {
  const [generation, before] = [readTemplateGeneration(set), readTemplateGeneration(old)]
  const isChanged = !equalsSemantically(set.spec?.template, old.spec?.template)
  const reportInvalid = (detail: string): FieldErrorList => [fieldError.invalid(specPath.child('templateGeneration'), generation, detail)]
  if (generation < before) return reportInvalid('must not be decremented')
  if (generation === before) return isChanged ? reportInvalid('must be incremented upon template update') : []
  return isChanged ? [] : reportInvalid('must not be incremented without template update')
}

function validateUpdateStrategy(strategy: DeepReadonly<DaemonSetUpdateStrategy>, path: FieldPath): FieldErrorList {
  const { type = '', rollingUpdate } = strategy
  if (type === 'OnDelete') return []
  if (type !== 'RollingUpdate') {
    return [
      fieldError.notSupported(path, toInternalStruct(appsV1.table.resolve('DaemonSetUpdateStrategy'), strategy), [
        'RollingUpdate',
        'OnDelete',
      ]),
    ]
  }
  const at = path.child('rollingUpdate')
  return rollingUpdate === undefined ? [fieldError.required(at)] : validateRollingUpdate(rollingUpdate, at)
}

/** Validates a rolling update: exactly one of `maxUnavailable` and `maxSurge` must not be zero. */
function validateRollingUpdate(
  { maxUnavailable = 0, maxSurge = 0 }: DeepReadonly<RollingUpdateDaemonSet>,
  path: FieldPath,
): FieldErrorList {
  const unavailablePath = path.child('maxUnavailable')
  const surgePath = path.child('maxSurge')
  const errors = [
    ...validateIntOrPercent(maxUnavailable, unavailablePath),
    ...validateIntOrPercent(maxSurge, surgePath),
    ...validateAtMostAll(maxUnavailable, unavailablePath),
    ...validateAtMostAll(maxSurge, surgePath),
  ]
  if (!isZero(maxUnavailable) && !isZero(maxSurge)) {
    errors.push(fieldError.invalid(surgePath, maxSurge, 'may not be set when maxUnavailable is non-zero'))
  } else if (isZero(maxUnavailable) && isZero(maxSurge)) {
    errors.push(fieldError.required(unavailablePath, 'cannot be 0 when maxSurge is 0'))
  }
  return errors
}

export function validateDaemonSetStatus({ status }: ReadonlySet, old: ReadonlySet): FieldErrorList {
  const { currentNumberScheduled, numberMisscheduled, desiredNumberScheduled, numberReady, observedGeneration } = status ?? {}
  const { updatedNumberScheduled, numberAvailable, numberUnavailable, collisionCount } = status ?? {}
  const counts = { currentNumberScheduled, numberMisscheduled, desiredNumberScheduled, numberReady, observedGeneration }
  return [
    ...validateCounts({ ...counts, updatedNumberScheduled, numberAvailable, numberUnavailable, collisionCount }, statusPath),
    ...validateCollisions(collisionCount, old.status?.collisionCount, statusPath),
  ]
}
