import type { UserInfo } from '@keelson/apimachinery'
import { unknownCredentials } from './authenticator.ts'
import type { AuthenticationResult, Authenticator } from './authenticator.ts'
import type { TokenAuthenticator } from './token-authenticator.ts'

const invalid: AuthenticationResult = { outcome: 'rejected', reason: 'invalid bearer token' }

interface CachedResult {
  readonly header: string
  readonly result: AuthenticationResult
}

/**
 * Authenticates `Authorization: Bearer TOKEN`. The first of `tokens` that knows the token decides; an unknown token is rejected.
 * A token that repeats on one connection is looked up once if its authenticator is `isPermanent`.
 */
export function createBearerTokenAuthenticator(...tokens: readonly TokenAuthenticator[]): Authenticator {
  const cache = new WeakMap<object, CachedResult>()
  return {
    authenticate: ({ headers, connection }) => {
      const header = headers.authorization
      if (header === undefined) return unknownCredentials
      const known = connection === undefined ? undefined : cache.get(connection)
      if (known?.header === header) return known.result
      const token = bearerToken(header)
      if (token === undefined) return unknownCredentials
      let next = 0
      for (; tokens[next]?.isPermanent === true; next++) {
        const user = tokens[next]!.authenticateToken(token)
        if (user instanceof Promise) break
        if (user === undefined) continue
        const result = accepted(user)
        if (connection !== undefined) cache.set(connection, { header, result })
        return result
      }
      return firstKnown(tokens, next, token)
    },
  }
}

// Synchronous as long as the authenticators are: most requests need no promise here.
function firstKnown(
  tokens: readonly TokenAuthenticator[],
  from: number,
  token: string,
): AuthenticationResult | Promise<AuthenticationResult> {
  for (let i = from; i < tokens.length; i++) {
    const user = tokens[i]!.authenticateToken(token)
    if (user instanceof Promise) return user.then((known) => (known === undefined ? firstKnown(tokens, i + 1, token) : accepted(known)))
    if (user !== undefined) return accepted(user)
  }
  return invalid
}

function accepted(user: UserInfo): AuthenticationResult {
  return { outcome: 'authenticated', user }
}

/**
 * Returns the token of an Authorization header; undefined for another scheme or no header. The scheme is case-insensitive. Text after a
 * second space is ignored.
 */
export function bearerToken(header: string | undefined): string | undefined {
  const text = header?.trim()
  if (text === undefined || text === '') return undefined
  const [scheme, token] = text.split(' ', 3)
  return scheme!.toLowerCase() === 'bearer' && token ? token : undefined
}
