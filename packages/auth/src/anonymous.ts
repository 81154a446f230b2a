import { anonymousUser, unauthenticatedGroup } from '@keelson/apimachinery'
import { unknownCredentials } from './authenticator.ts'
import type { AuthenticationResult, Authenticator } from './authenticator.ts'

export interface AnonymousOptions {
  /** Paths that allow anonymous access. Absent or empty: all paths. */
  readonly paths?: readonly string[]
}

/** Authenticates every request as `system:anonymous`. */
export function createAnonymousAuthenticator(options: AnonymousOptions = {}): Authenticator {
  const paths = options.paths?.length ? new Set(options.paths) : undefined
  const anonymous: AuthenticationResult = { outcome: 'authenticated', user: { name: anonymousUser, groups: [unauthenticatedGroup] } }
  return { authenticate: ({ path }) => (paths === undefined || paths.has(path) ? anonymous : unknownCredentials) }
}
