import { unknownCredentials } from './authenticator.ts'
import type { AuthenticationResult, Authenticator } from './authenticator.ts'
import { anonymousUser, unauthenticatedGroup } from './users.ts'

export interface AnonymousOptions {
  /** Only these paths may be asked for anonymously; absent or empty: all. */
  readonly paths?: readonly string[]
}

/** Whoever gives no credentials is `system:anonymous`. */
export function createAnonymousAuthenticator(options: AnonymousOptions = {}): Authenticator {
  const paths = options.paths?.length ? new Set(options.paths) : undefined
  const anonymous: AuthenticationResult = { outcome: 'authenticated', user: { name: anonymousUser, groups: [unauthenticatedGroup] } }
  return { authenticate: ({ path }) => (paths === undefined || paths.has(path) ? anonymous : unknownCredentials) }
}
