import { noOpinion } from './authorizer.ts'
import type { Authorizer, Decision } from './authorizer.ts'

/** Members of one of these groups may do everything. */
export function createPrivilegedGroupsAuthorizer(...groups: readonly string[]): Authorizer {
  const allow: Decision = { decision: 'allow', reason: '' }
  return { authorize: ({ user }) => (user.groups.some((group) => groups.includes(group)) ? allow : noOpinion) }
}
