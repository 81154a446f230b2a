import { noOpinion, noRules } from './authorizer.ts'
import type { Authorizer, Decision } from './authorizer.ts'

/** Members of one of these groups may do everything. */
export function createPrivilegedGroupsAuthorizer(...groups: readonly string[]): Authorizer {
  const allow: Decision = { decision: 'allow', reason: '' }
  const isPrivileged = (user: { readonly groups: readonly string[] }): boolean => user.groups.some((group) => groups.includes(group))
  return {
    authorize: ({ user }) => (isPrivileged(user) ? allow : noOpinion),
    // The rules of kube-apiserver's role cluster-admin, which its administrators have as well.
    rulesFor: (user) =>
      isPrivileged(user)
        ? {
            resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }],
            nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
            incomplete: false,
          }
        : noRules,
  }
}
