import { noOpinion, noRules } from './authorizer.ts'
import type { Authorizer, Decision } from './authorizer.ts'

/** Allows everything to members of these groups. */
export function createPrivilegedGroupsAuthorizer(...groups: readonly string[]): Authorizer {
  const allow: Decision = { decision: 'allow', reason: '' }
  const isPrivileged = (user: { readonly groups: readonly string[] }): boolean => user.groups.some((group) => groups.includes(group))
  return {
    authorize: ({ user }) => (isPrivileged(user) ? allow : noOpinion),
    // Reviews list rules of roles only: administrators have the role cluster-admin.
    rulesFor: () => noRules,
  }
}
