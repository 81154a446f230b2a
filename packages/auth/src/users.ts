import { anonymousUser, authenticatedGroup, unauthenticatedGroup } from '@keelson/apimachinery'
import type { UserInfo } from '@keelson/apimachinery'

/** The `extra` key that identifies the credential. */
export const credentialIdKey = 'authentication.kubernetes.io/credential-id'

// A static token yields the same user object each time, so its version with `system:authenticated` is built once.
const widened = new WeakMap<UserInfo, UserInfo>()

/** Adds `system:authenticated` to the groups. The anonymous user stays unchanged. */
export function authenticatedUser(user: UserInfo): UserInfo {
  if (user.name === anonymousUser || user.groups.includes(authenticatedGroup) || user.groups.includes(unauthenticatedGroup)) return user
  let wide = widened.get(user)
  if (wide === undefined) widened.set(user, (wide = { ...user, groups: [...user.groups, authenticatedGroup] }))
  return wide
}
