import { anonymousUser, authenticatedGroup, unauthenticatedGroup } from '@keelson/apimachinery'
import type { UserInfo } from '@keelson/apimachinery'

/** Key in `extra` of the credential's id. */
export const credentialIdKey = 'authentication.kubernetes.io/credential-id'

// Users with `system:authenticated` by original user. A static token yields the same user object for each request, so its copy is built
// once.
const widened = new WeakMap<UserInfo, UserInfo>()

/** Returns the user with the group `system:authenticated`. The anonymous user is returned unchanged. */
export function addAuthenticatedGroup(user: UserInfo): UserInfo {
  if (user.name === anonymousUser || user.groups.includes(authenticatedGroup) || user.groups.includes(unauthenticatedGroup)) return user
  let wide = widened.get(user)
  if (wide === undefined) widened.set(user, (wide = { ...user, groups: [...user.groups, authenticatedGroup] }))
  return wide
}
