import type { MatchResources, ParamKind, ParamRef } from '@keelson/api/admissionregistration/v1'
import { fieldError, isDNS1035Label, isDNS1123Subdomain, isPathSegmentName, validateLabelSelector } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { invalidEach, labelSelectorText, validateSupported } from '@keelson/resources-core'
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

/** Of a policy: which requests it is about must be said. */
export function validateMatchConstraints(match: DeepReadonly<MatchResources> | undefined, path: FieldPath): FieldErrorList {
  if (match === undefined) return [fieldError.required(path)]
  const none = (match.resourceRules ?? []).length === 0
  return [...validateMatchResources(match, path), ...(none ? [fieldError.required(path.child('resourceRules'))] : [])]
}

/** What is deleted cannot be changed any more. */
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
  const pieces = text === '/' ? ['', ''] : text.split('/')
  if (pieces.length > 2) return [fieldError.invalid(path, text, `unexpected GroupVersion string: ${text}`)]
  const [version = '', group = ''] = pieces.toReversed()
  const ofGroup = group === '' ? [] : isDNS1123Subdomain(group)
  const errors: FieldErrorList = ofGroup.length > 0 ? [fieldError.invalid(path, group, ofGroup.join(','))] : []
  if (version === '') return [...errors, fieldError.invalid(path, text, 'version must be specified')]
  const ofVersion = isDNS1035Label(version)
  return ofVersion.length > 0 ? [...errors, fieldError.invalid(path, version, ofVersion.join(','))] : errors
}

/** By name or by labels, one of the two. */
export function validateParamRef(reference: DeepReadonly<ParamRef>, path: FieldPath): FieldErrorList {
  const { name = '', selector, parameterNotFoundAction: action = '' } = reference
  const both = name !== '' && selector !== undefined
  const exclusive = 'name and selector are mutually exclusive'
  const actionPath = path.child('parameterNotFoundAction')
  return [
    ...(name === '' ? [] : invalidEach(isPathSegmentName(name), name, path.child('name'))),
    ...(both ? [fieldError.forbidden(path.child('name'), exclusive)] : []),
    ...validateLabelSelector(selector, path.child('selector')),
    ...(both ? [fieldError.forbidden(path.child('selector'), exclusive)] : []),
    ...(name === '' && selector === undefined ? [fieldError.required(path, 'one of name or selector must be specified')] : []),
    ...(action === '' ? [fieldError.required(actionPath)] : validateSupported(action, notFoundActions, actionPath)),
  ]
}

/** As tables show it. */
export function paramText(reference: DeepReadonly<ParamRef> | undefined): string {
  const { name = '', namespace = '', selector } = reference ?? {}
  if (name !== '') return `${namespace || '*'}/${name}`
  return selector === undefined ? '<unset>' : labelSelectorText(selector)
}

export function paramKindText(kind: DeepReadonly<ParamKind> | undefined): string {
  return kind === undefined ? '<unset>' : `${kind.apiVersion ?? ''}/${kind.kind ?? ''}`
}
