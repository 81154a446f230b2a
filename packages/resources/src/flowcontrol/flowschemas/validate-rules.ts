import type { NonResourcePolicyRule, PolicyRulesWithSubjects, ResourcePolicyRule } from '@keelson/api/flowcontrol/v1'
import { fieldError, nameIsDNSLabel } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { validateSubject } from './validate-subject.ts'

const knownVerbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'proxy', 'update', 'watch']

export function validateRules(rules: readonly DeepReadonly<PolicyRulesWithSubjects>[], path: FieldPath): FieldErrorList {
  return rules.flatMap((rule, i) => validateRule(rule, path.index(i)))
}

function validateRule(rule: DeepReadonly<PolicyRulesWithSubjects>, path: FieldPath): FieldErrorList {
  const { resourceRules = [], nonResourceRules = [] } = rule
  const subjects = rule.subjects ?? []
  const errors: FieldErrorList = []
  if (subjects.length === 0) errors.push(fieldError.required(path.child('subjects'), 'subjects must contain at least one value'))
  subjects.forEach((subject, i) => errors.push(...validateSubject(subject, path.child('subjects').index(i))))
  if (resourceRules.length === 0 && nonResourceRules.length === 0) {
    errors.push(fieldError.required(path, 'at least one of resourceRules and nonResourceRules has to be non-empty'))
  }
  resourceRules.forEach((rule, i) => errors.push(...validateResourceRule(rule, path.child('resourceRules').index(i))))
  nonResourceRules.forEach((rule, i) => errors.push(...validateNonResourceRule(rule, path.child('nonResourceRules').index(i))))
  return errors
}

function validateResourceRule(rule: DeepReadonly<ResourcePolicyRule>, path: FieldPath): FieldErrorList {
  const { apiGroups, resources, clusterScope = false } = rule
  const namespaces = rule.namespaces ?? []
  const namespacesPath = path.child('namespaces')
  const noNamespaces = 'resource rules that are not cluster scoped must supply at least one namespace'
  return [
    ...validateVerbs(rule.verbs, path.child('verbs')),
    ...requireNonEmpty(apiGroups, 'resource rules must supply at least one api group', path.child('apiGroups')),
    ...validateStar(apiGroups, 'api groups', path.child('apiGroups')),
    ...requireNonEmpty(resources, 'resource rules must supply at least one resource', path.child('resources')),
    ...validateStar(resources, 'resources', path.child('resources')),
    ...(clusterScope ? [] : requireNonEmpty(namespaces, noNamespaces, namespacesPath)),
    ...validateStar(namespaces, 'namespaces', namespacesPath),
    ...(namespaces.includes('*') ? [] : namespaces.flatMap((namespace, i) => validateNamespace(namespace, namespacesPath.index(i)))),
  ]
}

function validateNamespace(namespace: string, path: FieldPath): FieldErrorList {
  const requirement = "each member of this list must be '*' or a DNS-1123 label; "
  return nameIsDNSLabel(namespace, false).map((message) => fieldError.invalid(path, namespace, requirement + message))
}

function validateNonResourceRule({ verbs, nonResourceURLs }: DeepReadonly<NonResourcePolicyRule>, path: FieldPath): FieldErrorList {
  const urls = nonResourceURLs ?? []
  const urlsPath = path.child('nonResourceURLs')
  return [
    ...validateVerbs(verbs, path.child('verbs')),
    ...requireNonEmpty(urls, 'nonResourceURLs must contain at least one value', urlsPath),
    ...validateStar(urls, 'non-resource URLs', urlsPath),
    ...(urls.includes('*') ? [] : urls.flatMap((url, i) => validateURL(url, urlsPath.index(i)))),
  ]
}

function validateVerbs(list: readonly string[] | null, path: FieldPath): FieldErrorList {
  const verbs = list ?? []
  const errors = [...requireNonEmpty(verbs, 'verbs must contain at least one value', path), ...validateStar(verbs, 'verbs', path)]
  if (errors.length > 0 || verbs.includes('*') || verbs.every((verb) => knownVerbs.includes(verb))) return errors
  return [fieldError.notSupported(path, verbs, knownVerbs)]
}

function requireNonEmpty(list: readonly string[] | null, detail: string, path: FieldPath): FieldErrorList {
  return (list ?? []).length === 0 ? [fieldError.required(path, detail)] : []
}

/** Rejects a list with `*` and other values. */
function validateStar(list: readonly string[] | null, otherValues: string, path: FieldPath): FieldErrorList {
  const isMixed = list !== null && list.length > 1 && list.includes('*')
  return isMixed ? [fieldError.invalid(path, list, `if '*' is present, must not specify other ${otherValues}`)] : []
}

function validateURL(url: string, path: FieldPath): FieldErrorList {
  const error = findUrlError(url)
  return error === undefined ? [] : [fieldError.invalid(path, url, error)]
}

function findUrlError(url: string): string | undefined {
  if (url === '') return 'must not be empty'
  if (url === '/') return undefined
  if (!url.startsWith('/')) return 'must start with slash'
  if (url.includes(' ')) return 'must not contain white-space'
  if (url.includes('//')) return 'must not contain double slash'
  const stars = url.split('*').length - 1
  return stars > 1 || (stars === 1 && !url.endsWith('/*')) ? 'wildcard can only do suffix matching' : undefined
}
