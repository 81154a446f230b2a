import type { UserInfo as ApiUserInfo } from '@keelson/api/authentication/v1'
import type { UserInfo } from '@keelson/apimachinery'

/** Converts a user to the API form used in review statuses. */
export function toApiUserInfo({ name, uid = '', groups, extra = {} }: UserInfo): ApiUserInfo {
  const entries: [string, string[]][] = Object.entries(extra).map(([key, values]) => [key, [...values]])
  return {
    username: name,
    ...(uid !== '' && { uid }),
    ...(groups.length > 0 && { groups: [...groups] }),
    ...(entries.length > 0 && { extra: Object.fromEntries(entries) }),
  }
}
