import type { HorizontalPodAutoscaler, HorizontalPodAutoscalerSpec, MetricSpec } from '@keelson/api/autoscaling/v2'
import { fieldError, newFieldPath } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList } from '@keelson/apimachinery'
import { validateCounts } from '../../workloads/status-counts.ts'
import { validateBehavior } from './validate-behavior.ts'
import { validateMetric } from './validate-metrics.ts'
import { validateReference, findApiVersionError } from './validate-reference.ts'
import type { ReferenceRules } from './validate-reference.ts'

type ReadonlyAutoscaler = DeepReadonly<HorizontalPodAutoscaler>
type ReadonlySpec = DeepReadonly<HorizontalPodAutoscalerSpec>

const specPath = newFieldPath('spec')
const statusPath = newFieldPath('status')
const emptySpec: ReadonlySpec = { scaleTargetRef: { kind: '', name: '' }, maxReplicas: 0 }

export function validateAutoscaler({ spec = emptySpec }: ReadonlyAutoscaler, old?: ReadonlyAutoscaler): FieldErrorList {
  const { metrics = [], behavior, scaleTargetRef } = spec
  const metricsPath = specPath.child('metrics')
  const rules = decideMetricRules(old?.spec?.metrics ?? [])
  const errors = [
    ...validateReplicas(spec, old?.spec?.minReplicas === 0 ? 0 : 1),
    ...validateReference(scaleTargetRef, specPath.child('scaleTargetRef'), decideTargetRules(spec, old?.spec)),
    ...metrics.flatMap((metric, i) => validateMetric(metric, metricsPath.index(i), rules)),
  ]
  if (spec.minReplicas === 0 && !metrics.some(({ type }) => type === 'Object' || type === 'External')) {
    const detail = 'must specify at least one Object or External metric to support scaling to zero replicas'
    errors.push(fieldError.forbidden(metricsPath, detail))
  }
  return behavior === undefined ? errors : [...errors, ...validateBehavior(behavior, specPath.child('behavior'))]
}

function validateReplicas({ minReplicas: min, maxReplicas: max = 0 }: ReadonlySpec, lowest: number): FieldErrorList {
  const errors: FieldErrorList = []
  const [minPath, maxPath] = [specPath.child('minReplicas'), specPath.child('maxReplicas')]
  if (min !== undefined && min < lowest) errors.push(fieldError.invalid(minPath, min, `must be greater than or equal to ${lowest}`))
  if (max === 0) errors.push(fieldError.required(maxPath, 'must be set and greater than 0'))
  else if (max < 0) errors.push(fieldError.invalid(maxPath, max, 'must be greater than or equal to 1'))
  if (min !== undefined && max < min) errors.push(fieldError.invalid(maxPath, max, 'must be greater than or equal to `minReplicas`'))
  return errors
}

/** Returns the rules for the scale target. Only a ReplicationController can be referenced without a group. */
function decideTargetRules({ scaleTargetRef: target }: ReadonlySpec, old: ReadonlySpec | undefined): ReferenceRules {
  const before = old?.scaleTargetRef
  const isSame = before !== undefined && (before.apiVersion ?? '') === (target.apiVersion ?? '') && before.kind === target.kind
  return { allowInvalidVersion: isSame, allowEmptyGroup: !isSame && target.kind === 'ReplicationController' }
}

function decideMetricRules(old: readonly DeepReadonly<MetricSpec>[]): ReferenceRules {
  const rules: ReferenceRules = { allowInvalidVersion: false, allowEmptyGroup: true }
  const wasInvalid = old.some(
    ({ type, object }) => type === 'Object' && object !== undefined && findApiVersionError(object.describedObject, rules) !== undefined,
  )
  return { ...rules, allowInvalidVersion: wasInvalid }
}

export function validateAutoscalerStatus({ status }: ReadonlyAutoscaler): FieldErrorList {
  const { currentReplicas, desiredReplicas } = status ?? {}
  return validateCounts({ currentReplicas, desiredReplicas }, statusPath)
}
