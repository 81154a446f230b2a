import { newBadRequest } from '@keelson/apimachinery'
import type { UserInfo } from '@keelson/apimachinery'
import { decodeHeaderValue, unescapeExtraKey } from './identity-headers.ts'

const prefix = 'impersonate-'
const extraPrefix = 'impersonate-extra-'

/**
 * Parses the `Impersonate-*` headers; undefined if there are none. Throws a 400 if there are groups, a uid or extras but no user name.
 * `rawHeaders` alternates names and values, because joining repeated headers would corrupt group names with commas.
 */
export function parseImpersonatedUser(rawHeaders: readonly string[]): UserInfo | undefined {
  // Only the first value of a header counts.
  let name: string | undefined
  let uid: string | undefined
  let groups: string[] | undefined
  let extra: Map<string, string[]> | undefined
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    // Runs for every request, so the first letter rules out most names.
    if ((rawHeaders[i]!.charCodeAt(0) | 32) !== 0x69) continue
    const header = rawHeaders[i]!.toLowerCase()
    if (!header.startsWith(prefix)) continue
    const value = decodeHeaderValue(rawHeaders[i + 1]!)
    if (header === 'impersonate-user') name ??= value
    else if (header === 'impersonate-uid') uid ??= value
    else if (header === 'impersonate-group') (groups ??= []).push(value)
    else if (header.startsWith(extraPrefix)) {
      const key = unescapeExtraKey(header.slice(extraPrefix.length))
      const values = (extra ??= new Map<string, string[]>()).get(key)
      if (values === undefined) extra.set(key, [value])
      else values.push(value)
    }
  }
  if (!name) {
    if (!uid && groups === undefined && extra === undefined) return undefined
    throw newBadRequest(`requested ${toGoSyntax(uid ?? '', groups, extra)} without impersonating a user name`)
  }
  return { name, uid: uid ?? '', groups: groups ?? [], ...(extra === undefined ? {} : { extra: Object.fromEntries(extra) }) }
}

function toGoSyntax(uid: string, groups: readonly string[] | undefined, extra: ReadonlyMap<string, readonly string[]> | undefined): string {
  const formatStrings = (values: readonly string[]): string => `[]string{${values.map((value) => JSON.stringify(value)).join(', ')}}`
  const entries =
    extra && [...extra].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, values]) => `${JSON.stringify(key)}:${formatStrings(values)}`)
  const groupText = groups === undefined ? '[]string(nil)' : formatStrings(groups)
  const extraText = entries === undefined ? 'map[string][]string(nil)' : `map[string][]string{${entries.join(', ')}}`
  return `&user.DefaultInfo{Name:"", UID:${JSON.stringify(uid)}, Groups:${groupText}, Extra:${extraText}}`
}
