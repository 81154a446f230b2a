import { coreV1 } from '@keelson/api/core/v1'
import type { ResourceQuotaSpec, ScopedResourceSelectorRequirement } from '@keelson/api/core/v1'
import { fieldError } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { toInternalStruct } from '../internal-structs/to-internal-struct.ts'
import { isStandardQuotaResource } from '../pod-spec/resource-names.ts'

type Spec = DeepReadonly<ResourceQuotaSpec>
type Requirement = DeepReadonly<ScopedResourceSelectorRequirement>

const podComputeResources = ['pods', 'cpu', 'memory', 'limits.cpu', 'limits.memory', 'requests.cpu', 'requests.memory']

/** Resources that a quota with the given scope can count. */
const resourcesOfScope: ReadonlyMap<string, readonly string[]> = new Map([
  ['Terminating', podComputeResources],
  ['NotTerminating', podComputeResources],
  ['NotBestEffort', podComputeResources],
  ['PriorityClass', podComputeResources],
  ['CrossNamespacePodAffinity', podComputeResources],
  ['BestEffort', ['pods']],
  ['VolumeAttributesClass', ['persistentvolumeclaims', 'requests.storage']],
])
const existsOnlyScopes: ReadonlySet<string> = new Set([
  'BestEffort',
  'NotBestEffort',
  'Terminating',
  'NotTerminating',
  'CrossNamespacePodAffinity',
])
const conflicts = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
]

export function validateScopes(spec: Spec, specPath: FieldPath): FieldErrorList {
  const scopes = spec.scopes ?? []
  const path = specPath.child('scopes')
  const errors = scopes.flatMap((scope) => [
    ...(resourcesOfScope.has(scope) ? [] : [fieldError.invalid(path, scopes, 'unsupported scope')]),
    ...findUncountedResources(scope, spec).map(() => fieldError.invalid(path, scopes, 'unsupported scope applied to resource')),
  ])
  return [...errors, ...validateConflicts(scopes, spec, path)]
}

export function validateScopeSelector(spec: Spec, specPath: FieldPath): FieldErrorList {
  if (spec.scopeSelector === undefined) return []
  const requirements = spec.scopeSelector.matchExpressions ?? []
  const path = specPath.child('scopeSelector', 'matchExpressions')
  const errors = requirements.flatMap((requirement) => {
    const { scopeName } = requirement
    return [
      ...(resourcesOfScope.has(scopeName) ? [] : [fieldError.invalid(path.child('scopeName'), scopeName, 'unsupported scope')]),
      ...findUncountedResources(scopeName, spec).map(() =>
        fieldError.invalid(
          path,
          toInternalStruct(coreV1.table.resolve('ScopeSelector'), spec.scopeSelector),
          'unsupported scope applied to resource',
        ),
      ),
      ...validateOperator(requirement, path),
    ]
  })
  return [
    ...errors,
    ...validateConflicts(
      requirements.map(({ scopeName }) => scopeName),
      spec,
      path,
    ),
  ]
}

function findUncountedResources(scope: string, { hard = {} }: Spec): string[] {
  const counted = resourcesOfScope.get(scope)
  if (counted === undefined) return []
  return Object.keys(hard).filter((name) => isStandardQuotaResource(name) && !counted.includes(name))
}

function validateOperator({ scopeName, operator, values = [] }: Requirement, path: FieldPath): FieldErrorList {
  const errors: FieldErrorList = []
  if (existsOnlyScopes.has(scopeName) && operator !== 'Exists') {
    const detail =
      "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity"
    errors.push(fieldError.invalid(path.child('operator'), operator, detail))
  }
  if (operator === 'In' || operator === 'NotIn') {
    const detail = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector"
    if (values.length === 0) errors.push(fieldError.required(path.child('values'), detail))
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    const detail = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector"
    if (values.length > 0) errors.push(fieldError.invalid(path.child('values'), values, detail))
  } else errors.push(fieldError.invalid(path.child('operator'), operator, 'not a valid selector operator'))
  return errors
}

function validateConflicts(scopes: readonly string[], spec: Spec, path: FieldPath): FieldErrorList {
  return conflicts
    .filter((pair) => pair.every((scope) => scopes.includes(scope)))
    .map(() => fieldError.invalid(path, spec.scopes ?? null, 'conflicting scopes'))
}
