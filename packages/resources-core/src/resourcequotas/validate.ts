import type { ResourceQuota, ResourceQuotaSpec } from '@keelson/api/core/v1'
import { appendAll, fieldError, newFieldPath, immutableMessage, parseQuantity } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { isStandardQuotaResource } from '../pod-spec/resource-names.ts'
import { validateResourceQuantity } from '../pod-spec/resource-quantities.ts'
import type { ResourceList } from '../pod-spec/resource-quantities.ts'
import { validateResourceName } from '../pod-spec/validate-resources.ts'
import { printList } from '../print-map.ts'
import { validateScopes, validateScopeSelector } from './validate-scopes.ts'

type ReadonlyQuota = DeepReadonly<ResourceQuota>

const specPath = newFieldPath('spec')
const statusPath = newFieldPath('status')

/** Validates a new ResourceQuota. Does not validate the status, which is empty. */
export function validateResourceQuota({ spec = {} }: ReadonlyQuota): FieldErrorList {
  return validateSpec(spec)
}

/** Validates an update of a ResourceQuota. The scopes are immutable. */
export function validateResourceQuotaUpdate({ spec = {} }: ReadonlyQuota, old: ReadonlyQuota): FieldErrorList {
  const scopes = new Set(spec.scopes)
  const oldScopes = new Set(old.spec?.scopes)
  const errors = validateSpec(spec)
  if (scopes.size !== oldScopes.size || [...scopes].some((scope) => !oldScopes.has(scope))) {
    errors.push(fieldError.invalid(specPath.child('scopes'), printList(spec, 'scopes'), immutableMessage))
  }
  return errors
}

export function validateResourceQuotaStatus({ status }: ReadonlyQuota): FieldErrorList {
  return [...validateAmounts(status?.hard, statusPath.child('hard')), ...validateAmounts(status?.used, statusPath.child('used'))]
}

function validateSpec(spec: DeepReadonly<ResourceQuotaSpec>): FieldErrorList {
  return [
    ...validateAmounts(spec.hard, specPath.child('hard')),
    ...validateScopes(spec, specPath),
    ...validateScopeSelector(spec, specPath),
  ]
}

function validateAmounts(list: ResourceList | undefined, path: FieldPath): FieldErrorList {
  const errors: FieldErrorList = []
  for (const name in list) {
    const at = path.key(name)
    appendAll(errors, validateResourceName(name, at))
    if (!name.includes('/') && !isStandardQuotaResource(name)) {
      errors.push(fieldError.invalid(at, name, 'must be a standard resource for quota'))
    }
    appendAll(errors, validateResourceQuantity(name, parseQuantity(list[name]!), at))
  }
  return errors
}
