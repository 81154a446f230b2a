import type { UserInfo } from '@keelson/apimachinery'
import { unknownCredentials } from './authenticator.ts'
import type { AuthenticationResult, Authenticator, Credentials } from './authenticator.ts'
import { joinReasons } from './token-authenticator.ts'
import { addAuthenticatedGroup } from './users.ts'

export interface AuthenticatorUnionOptions {
  /**
   * Authenticator for requests without credentials. Runs only if no member recognized the credentials, so wrong credentials never become
   * anonymous.
   */
  readonly anonymous?: Authenticator | undefined
}

/**
 * Creates an authenticator that tries `members` in order and adds `system:authenticated`. The first acceptance decides. If no member
 * accepts, a request that a member rejected stays rejected.
 */
export function createAuthenticatorUnion(members: readonly Authenticator[], options: AuthenticatorUnionOptions = {}): Authenticator {
  const { anonymous } = options

  function step(
    index: number,
    credentials: Credentials,
    rejection: Rejected | undefined,
  ): AuthenticationResult | Promise<AuthenticationResult> {
    let rejected = rejection
    for (let i = index; i < members.length; i++) {
      const result = members[i]!.authenticate(credentials)
      if (result instanceof Promise)
        return result.then((r) => (accepts(r) ? withGroup(r) : step(i + 1, credentials, joinRejections(rejected, r))))
      if (accepts(result)) return withGroup(result)
      rejected = joinRejections(rejected, result)
    }
    return rejected ?? anonymous?.authenticate(credentials) ?? unknownCredentials
  }

  return { authenticate: (credentials) => step(0, credentials, undefined) }
}

type Accepted = Extract<AuthenticationResult, { outcome: 'authenticated' }>

function accepts(result: AuthenticationResult): result is Accepted {
  return result.outcome === 'authenticated'
}

type Rejected = Extract<AuthenticationResult, { outcome: 'rejected' }>

function joinRejections(earlier: Rejected | undefined, result: AuthenticationResult): Rejected | undefined {
  if (result.outcome !== 'rejected') return earlier
  return earlier === undefined ? result : { outcome: 'rejected', reason: joinReasons([earlier.reason, result.reason]) }
}

const results = new WeakMap<UserInfo, AuthenticationResult>()

function withGroup(result: Accepted): AuthenticationResult {
  const user = addAuthenticatedGroup(result.user)
  if (user === result.user) return result
  let wide = results.get(user)
  if (wide === undefined) results.set(user, (wide = { outcome: 'authenticated', user }))
  return wide
}
