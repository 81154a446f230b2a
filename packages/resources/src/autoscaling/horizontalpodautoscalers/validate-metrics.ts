import type { MetricIdentifier, MetricSpec, MetricTarget } from '@keelson/api/autoscaling/v2'
import { fieldError, isPathSegmentName, parseQuantity } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { createInvalidErrors, validateContainerResourceName, validateDNSLabel } from '@keelson/resources-core'
import { validateReference } from './validate-reference.ts'
import type { ReferenceRules } from './validate-reference.ts'

type Metric = DeepReadonly<MetricSpec>
type Target = DeepReadonly<MetricTarget>

/** Name of the field with the metric source for each metric type. */
const fieldOfType = {
  Object: 'object',
  External: 'external',
  Pods: 'pods',
  Resource: 'resource',
  ContainerResource: 'containerResource',
} as const
const types = ['ContainerResource', 'External', 'Object', 'Pods', 'Resource']

export function validateMetric(metric: Metric, path: FieldPath, rules: ReferenceRules): FieldErrorList {
  const { type = '' } = metric
  const typePath = path.child('type')
  const errors = type === '' ? [fieldError.required(typePath, 'must specify a metric source type')] : []
  const unsupported = fieldError.notSupported(typePath, type, types)
  const expected = types.includes(type) ? fieldOfType[type as keyof typeof fieldOfType] : undefined
  if (expected === undefined) errors.push(unsupported)
  const present = Object.values(fieldOfType).filter((member) => metric[member] !== undefined)
  const [first, second] = present
  // Only validates the first source. Other sources are reported as forbidden below.
  if (first !== undefined) errors.push(...validateSource(first, metric, path.child(first), rules))
  if (expected === undefined) errors.push(unsupported)
  else if (metric[expected] === undefined) {
    errors.push(fieldError.required(path.child(expected), 'must populate information for the given metric source'))
  }
  if (first !== undefined && second === undefined) return errors
  const unexpectedMembers = present.filter((member) => member !== expected)
  return [
    ...errors,
    ...unexpectedMembers.map((member) => fieldError.forbidden(path.child(member), 'must populate the given metric source only')),
  ]
}

function validateSource(
  member: (typeof fieldOfType)[keyof typeof fieldOfType],
  { object, external, pods, resource, containerResource }: Metric,
  path: FieldPath,
  rules: ReferenceRules,
): FieldErrorList {
  const at = path.child('target')
  switch (member) {
    case 'object':
      return [
        ...validateReference(object!.describedObject, path.child('describedObject'), rules),
        ...validateIdentifier(object!.metric, path.child('metric')),
        ...validateTarget(object!.target, at),
        ...requireOneOf(
          object!.target,
          ['value', 'averageValue'],
          at.child('averageValue'),
          'must set either a target value or averageValue',
        ),
      ]
    case 'external':
      return [
        ...validateIdentifier(external!.metric, path.child('metric')),
        ...validateTarget(external!.target, at),
        ...requireOneOf(
          external!.target,
          ['value', 'averageValue'],
          at.child('averageValue'),
          'must set either a target value for metric or a per-pod target',
        ),
        ...forbidBoth(external!.target, ['value', 'averageValue'], at, 'may not set both a target value for metric and a per-pod target'),
      ]
    case 'pods':
      return [
        ...validateIdentifier(pods!.metric, path.child('metric')),
        ...validateTarget(pods!.target, at),
        ...requireOneOf(pods!.target, ['averageValue'], at.child('averageValue'), 'must specify a positive target averageValue'),
      ]
    case 'resource':
      return [...requireName(resource!.name, path), ...validateResourceTarget(resource!.target, at)]
    case 'containerResource': {
      const { name = '', container = '', target } = containerResource!
      const containerPath = path.child('container')
      return [
        ...(name === '' ? requireName(name, path) : validateContainerResourceName(name, path.child('name'))),
        ...(container === ''
          ? [fieldError.required(containerPath, 'must specify a container')]
          : validateDNSLabel(container, containerPath)),
        ...validateResourceTarget(target, at),
      ]
    }
  }
}

function requireName(name: string | undefined, path: FieldPath): FieldErrorList {
  return name ? [] : [fieldError.required(path.child('name'), 'must specify a resource name')]
}

function validateResourceTarget(target: Target | undefined, path: FieldPath): FieldErrorList {
  const pair = ['averageValue', 'averageUtilization'] as const
  const missing = 'must set either a target raw value or a target utilization'
  return [
    ...validateTarget(target, path),
    ...requireOneOf(target, pair, path.child('averageUtilization'), missing),
    ...forbidBoth(target, pair, path, 'may not set both a target raw value and a target utilization'),
  ]
}

function requireOneOf(target: Target | undefined, of: readonly (keyof MetricTarget)[], path: FieldPath, detail: string): FieldErrorList {
  return of.some((member) => target?.[member] !== undefined) ? [] : [fieldError.required(path, detail)]
}

/** Returns an error for the first of two fields if both are set. */
function forbidBoth(
  target: Target | undefined,
  [first, second]: readonly [keyof MetricTarget, keyof MetricTarget],
  path: FieldPath,
  detail: string,
): FieldErrorList {
  const hasBoth = target?.[first] !== undefined && target[second] !== undefined
  return hasBoth ? [fieldError.forbidden(path.child(first), detail)] : []
}

function validateTarget({ type = '', value, averageValue, averageUtilization }: Partial<Target> = {}, path: FieldPath): FieldErrorList {
  const typePath = path.child('type')
  const errors = type === '' ? [fieldError.required(typePath, 'must specify a metric target type')] : []
  if (!['Utilization', 'Value', 'AverageValue'].includes(type)) {
    errors.push(fieldError.invalid(typePath, type, 'must be either Utilization, Value, or AverageValue'))
  }
  for (const [member, quantity] of Object.entries({ value, averageValue })) {
    if (quantity !== undefined && parseQuantity(quantity).sign() <= 0) {
      errors.push(fieldError.invalid(path.child(member), quantity, 'must be positive'))
    }
  }
  if (averageUtilization !== undefined && averageUtilization < 1) {
    errors.push(fieldError.invalid(path.child('averageUtilization'), averageUtilization, 'must be greater than 0'))
  }
  return errors
}

function validateIdentifier({ name = '' }: Partial<DeepReadonly<MetricIdentifier>> = {}, path: FieldPath): FieldErrorList {
  const at = path.child('name')
  return name === '' ? [fieldError.required(at, 'must specify a metric name')] : createInvalidErrors(isPathSegmentName(name), name, at)
}
