import type { NamedRuleWithOperations, Rule, RuleWithOperations } from '@keelson/api/admissionregistration/v1'
import { fieldError, isPathSegmentName, repeatCheck } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { createInvalidErrors, validateSupported } from '@keelson/resources-core'

const operationNames = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE']
const scopes = ['*', 'Cluster', 'Namespaced']

export function validateNamedRule(rule: DeepReadonly<NamedRuleWithOperations>, path: FieldPath): FieldErrorList {
  const names = rule.resourceNames ?? []
  const errors: FieldErrorList = []
  const isRepeated = repeatCheck<string>()
  for (const [i, name] of names.entries()) {
    const at = path.child('resourceNames').index(i)
    errors.push(...createInvalidErrors(isPathSegmentName(name), name, at))
    if (isRepeated(name)) errors.push(fieldError.duplicate(at, name))
  }
  return [...errors, ...validateRuleWithOperations(rule, path)]
}

export function validateRuleWithOperations(rule: DeepReadonly<RuleWithOperations>, path: FieldPath): FieldErrorList {
  const { operations = [] } = rule
  const operationsPath = path.child('operations')
  return [
    ...requireNonEmpty(operations, operationsPath),
    ...validateStar(operations, 'other operations', operationsPath),
    ...operations.flatMap((operation, i) => validateSupported(operation, operationNames, operationsPath.index(i))),
    ...validateRule(rule, path),
  ]
}

function validateRule({ apiGroups = [], apiVersions = [], resources = [], scope }: DeepReadonly<Rule>, path: FieldPath): FieldErrorList {
  const versionsPath = path.child('apiVersions')
  return [
    ...requireNonEmpty(apiGroups, path.child('apiGroups')),
    ...validateStar(apiGroups, 'other API groups', path.child('apiGroups')),
    ...requireNonEmpty(apiVersions, versionsPath),
    ...validateStar(apiVersions, 'other API versions', versionsPath),
    ...apiVersions.flatMap((version, i) => (version === '' ? [fieldError.required(versionsPath.index(i))] : [])),
    ...validateResources(resources, path.child('resources')),
    ...validateSupported(scope, scopes, path.child('scope')),
  ]
}

/** Validates resources like "pods", "pods/status", "pods/*", "*", "*\/status" and "*\/*". An entry must not match a preceding wildcard. */
function validateResources(resources: readonly string[], path: FieldPath): FieldErrorList {
  const errors = requireNonEmpty(resources, path)
  const allSubresourcesOf = new Set<string>()
  const onAllResources = new Set<string>()
  let hasPlainResource = false
  for (const [i, text] of resources.entries()) {
    const at = path.index(i)
    const slash = text.indexOf('/')
    if (text === '') errors.push(fieldError.required(at))
    else if (slash < 0) hasPlainResource = text !== '*'
    if (slash < 0) continue
    const [resource, subresource] = [text.slice(0, slash), text.slice(slash + 1)]
    if (allSubresourcesOf.has(resource))
      errors.push(fieldError.invalid(at, text, `if '${resource}/*' is present, must not specify ${text}`))
    if (onAllResources.has(subresource)) {
      errors.push(fieldError.invalid(at, text, `if '*/${subresource}' is present, must not specify ${text}`))
    }
    if (subresource === '*') allSubresourcesOf.add(resource)
    if (resource === '*') onAllResources.add(subresource)
  }
  if (resources.length > 1 && resources.includes('*/*')) {
    errors.push(fieldError.invalid(path, resources, "if '*/*' is present, must not specify other resources"))
  }
  if (hasPlainResource && resources.includes('*')) {
    errors.push(fieldError.invalid(path, resources, "if '*' is present, must not specify other resources without subresources"))
  }
  return errors
}

function requireNonEmpty(list: readonly string[], path: FieldPath): FieldErrorList {
  return list.length === 0 ? [fieldError.required(path)] : []
}

/** Rejects a list with `*` and other values. */
function validateStar(list: readonly string[], otherValues: string, path: FieldPath): FieldErrorList {
  const isMixed = list.length > 1 && list.includes('*')
  return isMixed ? [fieldError.invalid(path, list, `if '*' is present, must not specify ${otherValues}`)] : []
}
