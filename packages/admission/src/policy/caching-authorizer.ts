import type { UserInfo } from '@keelson/apimachinery'
import type { Authorizer, AuthorizerAttributes, Decision } from '@keelson/auth'

/**
 * Returns an authorizer for the expressions of one request. It asks the given authorizer only once for each check, so that all policies of
 * the request see the same decision.
 */
export function createCachingAuthorizer(authorizer: Authorizer): Authorizer {
  const decisions = new Map<string, Decision | Promise<Decision>>()
  return {
    authorize(attributes) {
      const key = formatKey(attributes)
      let decision = decisions.get(key)
      if (decision === undefined) decisions.set(key, (decision = authorizer.authorize(attributes)))
      return decision
    },
  }
}

function formatKey({ user, action }: AuthorizerAttributes): string {
  return JSON.stringify([createUserKey(user), action])
}

function createUserKey({ name, uid = '', groups, extra = {} }: UserInfo): unknown {
  const names = Object.keys(extra).toSorted()
  return [name, uid, groups.toSorted(), names.map((key) => [key, extra[key]!.toSorted()])]
}
