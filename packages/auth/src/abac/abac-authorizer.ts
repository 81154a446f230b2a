import type { RequestedAction, UserInfo } from '@keelson/apimachinery'
import { trimRight } from '@keelson/apimachinery'
import type { Authorizer, Decision, Rules } from '../authorizer.ts'
import type { AbacPolicy } from './policy-file.ts'

const allowed: Decision = { decision: 'allow', reason: '' }
const unmatched: Decision = { decision: 'noOpinion', reason: 'No policy matched.' }
const readVerbs: readonly string[] = ['get', 'list', 'watch']

/**
 * Creates an authorizer for the policies of an ABAC policy file (attribute-based access control). A request is allowed if one policy
 * matches it.
 */
export function createAbacAuthorizer(policies: readonly AbacPolicy[]): Authorizer {
  return {
    authorize: ({ user, action }) => (policies.some((policy) => matches(policy, user, action)) ? allowed : unmatched),
    rulesFor: (user, namespace) => listRules(policies, user, namespace),
  }
}

function matches(policy: AbacPolicy, user: UserInfo, action: RequestedAction): boolean {
  if (!matchesSubject(policy, user)) return false
  if (policy.readonly && !readVerbs.includes(action.verb)) return false
  if (!action.isResourceRequest) return matchesPath(policy.nonResourcePath, action.path)
  return (
    matchesText(policy.namespace, action.namespace) &&
    matchesText(policy.resource, action.resource) &&
    matchesText(policy.apiGroup, action.apiGroup)
  )
}

/** Returns whether a policy applies to the user. A policy without user and group applies to nobody. */
function matchesSubject({ user, group }: AbacPolicy, { name, groups }: UserInfo): boolean {
  if (user === '' && group === '') return false
  return (user === '' || matchesText(user, name)) && (group === '' || group === '*' || groups.includes(group))
}

function matchesText(pattern: string, text: string): boolean {
  return pattern === '*' || pattern === text
}

function matchesPath(pattern: string, path: string): boolean {
  return matchesText(pattern, path) || (pattern.endsWith('*') && path.startsWith(trimRight(pattern, '*')))
}

function listRules(policies: readonly AbacPolicy[], user: UserInfo, namespace: string): Rules {
  const matching = policies.filter((policy) => matchesSubject(policy, user) && matchesText(policy.namespace, namespace))
  const listVerbs = ({ readonly }: AbacPolicy): string[] => (readonly ? [...readVerbs] : ['*'])
  return {
    resourceRules: matching
      .filter(({ resource }) => resource !== '')
      .map((policy) => ({ verbs: listVerbs(policy), apiGroups: [policy.apiGroup], resources: [policy.resource] })),
    nonResourceRules: matching
      .filter(({ nonResourcePath }) => nonResourcePath !== '')
      .map((policy) => ({ verbs: listVerbs(policy), nonResourceURLs: [policy.nonResourcePath] })),
    incomplete: false,
  }
}
