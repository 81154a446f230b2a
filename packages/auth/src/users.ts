import type { UserInfo } from '@keelson/apimachinery'

/** Names that the API server itself gives meaning to. */
export const anonymousUser = 'system:anonymous'
export const apiServerUser = 'system:apiserver'
export const authenticatedGroup = 'system:authenticated'
export const unauthenticatedGroup = 'system:unauthenticated'
/** Members may do everything, whatever the authorizers after it say, and are never turned away for load. */
export const mastersGroup = 'system:masters'
/** The `extra` key that says which credential was used. */
export const credentialIdKey = 'authentication.kubernetes.io/credential-id'

// A static token answers with the same user each time, so its widened form is made once.
const widened = new WeakMap<UserInfo, UserInfo>()

/** Adds `system:authenticated` to the groups; the anonymous user stays as it is. */
export function authenticatedUser(user: UserInfo): UserInfo {
  if (user.name === anonymousUser || user.groups.includes(authenticatedGroup) || user.groups.includes(unauthenticatedGroup)) return user
  let wide = widened.get(user)
  if (wide === undefined) widened.set(user, (wide = { ...user, groups: [...user.groups, authenticatedGroup] }))
  return wide
}
