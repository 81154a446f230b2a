import type { NamedRuleWithOperations, Rule, RuleWithOperations } from '@keelson/api/admissionregistration/v1'
import { fieldError, isPathSegmentName, repeatCheck } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { invalidEach, validateSupported } from '@keelson/resources-core'

const operationNames = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE']
const scopes = ['*', 'Cluster', 'Namespaced']

export function validateNamedRule(rule: DeepReadonly<NamedRuleWithOperations>, path: FieldPath): FieldErrorList {
  const names = rule.resourceNames ?? []
  const errors: FieldErrorList = []
  const isRepeated = repeatCheck<string>()
  for (const [i, name] of names.entries()) {
    const at = path.child('resourceNames').index(i)
    errors.push(...invalidEach(isPathSegmentName(name), name, at))
    if (isRepeated(name)) errors.push(fieldError.duplicate(at, name))
  }
  return [...errors, ...validateRuleWithOperations(rule, path)]
}

export function validateRuleWithOperations(rule: DeepReadonly<RuleWithOperations>, path: FieldPath): FieldErrorList {
  const { operations = [] } = rule
  const operationsPath = path.child('operations')
  return [
    ...requireSome(operations, operationsPath),
    ...validateStar(operations, 'other operations', operationsPath),
    ...operations.flatMap((operation, i) => validateSupported(operation, operationNames, operationsPath.index(i))),
    ...validateRule(rule, path),
  ]
}

function validateRule({ apiGroups = [], apiVersions = [], resources = [], scope }: DeepReadonly<Rule>, path: FieldPath): FieldErrorList {
  const versionsPath = path.child('apiVersions')
  return [
    ...requireSome(apiGroups, path.child('apiGroups')),
    ...validateStar(apiGroups, 'other API groups', path.child('apiGroups')),
    ...requireSome(apiVersions, versionsPath),
    ...validateStar(apiVersions, 'other API versions', versionsPath),
    ...apiVersions.flatMap((version, i) => (version === '' ? [fieldError.required(versionsPath.index(i))] : [])),
    ...validateResources(resources, path.child('resources')),
    ...validateSupported(scope, scopes, path.child('scope')),
  ]
}

/** "pods", "pods/status", "pods/*", "*", "*\/status" and "*\/*"; what is included in another must not be there. */
function validateResources(resources: readonly string[], path: FieldPath): FieldErrorList {
  const errors = requireSome(resources, path)
  const allOf = new Set<string>()
  const everywhere = new Set<string>()
  let plain = false
  for (const [i, text] of resources.entries()) {
    const at = path.index(i)
    const slash = text.indexOf('/')
    if (text === '') errors.push(fieldError.required(at))
    else if (slash < 0) plain = text !== '*'
    if (slash < 0) continue
    const [resource, subresource] = [text.slice(0, slash), text.slice(slash + 1)]
    if (allOf.has(resource)) errors.push(fieldError.invalid(at, text, `if '${resource}/*' is present, must not specify ${text}`))
    if (everywhere.has(subresource)) {
      errors.push(fieldError.invalid(at, text, `if '*/${subresource}' is present, must not specify ${text}`))
    }
    if (subresource === '*') allOf.add(resource)
    if (resource === '*') everywhere.add(subresource)
  }
  if (resources.length > 1 && resources.includes('*/*')) {
    errors.push(fieldError.invalid(path, resources, "if '*/*' is present, must not specify other resources"))
  }
  if (plain && resources.includes('*')) {
    errors.push(fieldError.invalid(path, resources, "if '*' is present, must not specify other resources without subresources"))
  }
  return errors
}

function requireSome(list: readonly string[], path: FieldPath): FieldErrorList {
  return list.length === 0 ? [fieldError.required(path)] : []
}

/** `*` stands alone. */
function validateStar(list: readonly string[], others: string, path: FieldPath): FieldErrorList {
  const wrong = list.length > 1 && list.includes('*')
  return wrong ? [fieldError.invalid(path, list, `if '*' is present, must not specify ${others}`)] : []
}
