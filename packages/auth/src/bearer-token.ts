import { unknownCredentials } from './authenticator.ts'
import type { AuthenticationResult, Authenticator } from './authenticator.ts'
import { isRejectedToken, joinReasons } from './token-authenticator.ts'
import type { RequestNotes, TokenAuthenticator, TokenResult } from './token-authenticator.ts'

const unknownToken: AuthenticationResult = { outcome: 'rejected', reason: joinReasons() }
const spaceWarning = 'the provided Authorization header contains extra space before the bearer token, and is ignored'

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
    authenticate: ({ headers, connection, notes }) => {
      const header = headers.authorization
      if (header === undefined) return unknownCredentials
      const cached = connection === undefined ? undefined : cache.get(connection)
      if (cached?.header === header) return cached.result
      const token = parseBearerToken(header)
      if (token === undefined) {
        if (/^bearer {2}/i.test(header.trim())) notes?.warn(spaceWarning)
        return unknownCredentials
      }
      let next = 0
      for (; tokens[next]?.isPermanent === true; next++) {
        const user = tokens[next]!.authenticateToken(token)
        if (user instanceof Promise) break
        if (user === undefined || isRejectedToken(user)) continue
        const result: AuthenticationResult = { outcome: 'authenticated', user }
        if (connection !== undefined) cache.set(connection, { header, result })
        return result
      }
      return findFirstKnown({ tokens, token, notes }, next)
    },
  }
}

interface Search {
  readonly tokens: readonly TokenAuthenticator[]
  readonly token: string
  readonly notes: RequestNotes | undefined
}

// Returns a promise only if an authenticator does, because most requests need none.
function findFirstKnown(search: Search, from: number, reasons?: readonly string[]): AuthenticationResult | Promise<AuthenticationResult> {
  const { tokens, token, notes } = search
  let allReasons = reasons
  for (let i = from; i < tokens.length; i++) {
    const result = tokens[i]!.authenticateToken(token, notes)
    if (result instanceof Promise)
      return result.then((late) => keepAccepted(late) ?? findFirstKnown(search, i + 1, withReason(allReasons, late)))
    const cached = keepAccepted(result)
    if (cached !== undefined) return cached
    allReasons = withReason(allReasons, result)
  }
  return allReasons === undefined ? unknownToken : { outcome: 'rejected', reason: joinReasons(allReasons) }
}

function keepAccepted(result: TokenResult): AuthenticationResult | undefined {
  return result === undefined || isRejectedToken(result) ? undefined : { outcome: 'authenticated', user: result }
}

function withReason(reasons: readonly string[] | undefined, result: TokenResult): readonly string[] | undefined {
  return result !== undefined && isRejectedToken(result) ? [...(reasons ?? []), result.rejected] : reasons
}

/**
 * Returns the token of an Authorization header; undefined for another scheme or no header. The scheme is case-insensitive. Text after a
 * second space is ignored.
 */
export function parseBearerToken(header: string | undefined): string | undefined {
  const text = header?.trim()
  if (text === undefined || text === '') return undefined
  const [scheme, token] = text.split(' ', 3)
  return scheme!.toLowerCase() === 'bearer' && token ? token : undefined
}
