import { noOpinion, noRules } from './authorizer.ts'
import type { Authorizer, Decision } from './authorizer.ts'

/** Creates an authorizer that allows members of these groups to do everything. */
export function createPrivilegedGroupsAuthorizer(...groups: readonly string[]): Authorizer {
  const allow: Decision = { decision: 'allow', reason: '' }
  const isPrivileged = (user: { readonly groups: readonly string[] }): boolean => user.groups.some((group) => groups.includes(group))
  return {
    authorize: ({ user }) => (isPrivileged(user) ? allow : noOpinion),
    // The rules are empty, because a SelfSubjectRulesReview lists the rules of roles only. Administrators also have the role cluster-admin.
    rulesFor: () => noRules,
  }
}
