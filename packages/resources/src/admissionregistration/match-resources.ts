import type { MatchResources, ParamKind, ParamRef } from '@keelson/api/admissionregistration/v1'
import { fieldError, isDNS1035Label, isDNS1123Subdomain, isPathSegmentName, validateLabelSelector } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { createInvalidErrors, formatLabelSelector, validateSupported } from '@keelson/resources-core'
import { matchPolicies } from './policies.ts'
import { validateNamedRule } from './validate-rule.ts'
import { setRuleDefaults } from './webhooks.ts'

const mutatingOperations = ['*', 'CONNECT', 'CREATE', 'UPDATE']
const notFoundActions = ['Deny', 'Allow']

export function setMatchResourcesDefaults(match: MatchResources | undefined): void {
  if (match === undefined) return
  match.matchPolicy ??= 'Equivalent'
  match.namespaceSelector ??= {}
  match.objectSelector ??= {}
  setRuleDefaults(match.resourceRules)
  setRuleDefaults(match.excludeResourceRules)
}

export function validateMatchResources(match: DeepReadonly<MatchResources>, path: FieldPath): FieldErrorList {
  const { matchPolicy, namespaceSelector, objectSelector, resourceRules = [], excludeResourceRules = [] } = match
  const require = (value: unknown, member: string): FieldErrorList => (value === undefined ? [fieldError.required(path.child(member))] : [])
  return [
    ...require(matchPolicy, 'matchPolicy'),
    ...validateSupported(matchPolicy, matchPolicies, path.child('matchPolicy')),
    ...require(namespaceSelector, 'namespaceSelector'),
    ...validateLabelSelector(namespaceSelector, path.child('namespaceSelector')),
    ...require(objectSelector, 'objectSelector'),
    ...validateLabelSelector(objectSelector, path.child('objectSelector')),
    ...resourceRules.flatMap((rule, i) => validateNamedRule(rule, path.child('resourceRules').index(i))),
    ...excludeResourceRules.flatMap((rule, i) => validateNamedRule(rule, path.child('excludeResourceRules').index(i))),
  ]
}

/** Validates the `matchConstraints` of a policy, which must have at least one resource rule. */
export function validateMatchConstraints(match: DeepReadonly<MatchResources> | undefined, path: FieldPath): FieldErrorList {
  if (match === undefined) return [fieldError.required(path)]
  const hasNoRules = (match.resourceRules ?? []).length === 0
  return [...validateMatchResources(match, path), ...(hasNoRules ? [fieldError.required(path.child('resourceRules'))] : [])]
}

/** Rejects operations of a mutating policy that do not write an object. */
export function validateMutatedOperations({ resourceRules = [] }: DeepReadonly<MatchResources> = {}, path: FieldPath): FieldErrorList {
  const operations = resourceRules.flatMap((rule) => rule.operations ?? [])
  const at = path.child('resourceRules', 'operations')
  return operations.flatMap((operation) => validateSupported(operation, mutatingOperations, at))
}

export function validateParamKind({ apiVersion = '', kind = '' }: DeepReadonly<ParamKind>, path: FieldPath): FieldErrorList {
  const kindPath = path.child('kind')
  const messages = isDNS1035Label(kind.toLowerCase())
  const errors = validateApiVersion(apiVersion, path.child('apiVersion'))
  if (kind === '') return [...errors, fieldError.required(kindPath)]
  if (messages.length === 0) return errors
  return [...errors, fieldError.invalid(kindPath, kind, `may have mixed case, but should otherwise match: ${messages.join(',')}`)]
}

function validateApiVersion(text: string, path: FieldPath): FieldErrorList {
  if (text === '') return [fieldError.required(path)]
  const segments = text === '/' ? ['', ''] : text.split('/')
  if (segments.length > 2) return [fieldError.invalid(path, text, `unexpected GroupVersion string: ${text}`)]
  const [version = '', group = ''] = segments.toReversed()
  const groupErrors = group === '' ? [] : isDNS1123Subdomain(group)
  const errors: FieldErrorList = groupErrors.length > 0 ? [fieldError.invalid(path, group, groupErrors.join(','))] : []
  if (version === '') return [...errors, fieldError.invalid(path, text, 'version must be specified')]
  const versionErrors = isDNS1035Label(version)
  return versionErrors.length > 0 ? [...errors, fieldError.invalid(path, version, versionErrors.join(','))] : errors
}

/** Validates a reference to parameters, with exactly one of `name` and `selector`. */
export function validateParamRef(reference: DeepReadonly<ParamRef>, path: FieldPath): FieldErrorList {
  const { name = '', selector, parameterNotFoundAction: action = '' } = reference
  const hasBoth = name !== '' && selector !== undefined
  const exclusive = 'name and selector are mutually exclusive'
  const actionPath = path.child('parameterNotFoundAction')
  return [
    ...(name === '' ? [] : createInvalidErrors(isPathSegmentName(name), name, path.child('name'))),
    ...(hasBoth ? [fieldError.forbidden(path.child('name'), exclusive)] : []),
    ...validateLabelSelector(selector, path.child('selector')),
    ...(hasBoth ? [fieldError.forbidden(path.child('selector'), exclusive)] : []),
    ...(name === '' && selector === undefined ? [fieldError.required(path, 'one of name or selector must be specified')] : []),
    ...(action === '' ? [fieldError.required(actionPath)] : validateSupported(action, notFoundActions, actionPath)),
  ]
}

/** Formats a reference for the column ParamRef: "namespace/name" or a label selector. */
export function formatParamRef(reference: DeepReadonly<ParamRef> | undefined): string {
  const { name = '', namespace = '', selector } = reference ?? {}
  if (name !== '') return `${namespace || '*'}/${name}`
  return selector === undefined ? '<unset>' : formatLabelSelector(selector)
}

export function formatParamKind(kind: DeepReadonly<ParamKind> | undefined): string {
  return kind === undefined ? '<unset>' : `${kind.apiVersion ?? ''}/${kind.kind ?? ''}`
}
