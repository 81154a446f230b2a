import { newUid } from '@keelson/apimachinery'
import type { UserInfo } from '@keelson/apimachinery'
import type { TokenAuthenticator } from '@keelson/auth'

/** Bearer tokens of the users that tests act as, so that other processes can act as them too. */
export class UserTokens implements TokenAuthenticator {
  readonly #users = new Map<string, UserInfo>()
  readonly #tokens = new Map<string, string>()

  /** Returns the token of a user. The same user always gets the same token. */
  issue(user: UserInfo): string {
    const key = JSON.stringify([user.name, user.uid, user.groups, user.extra])
    let token = this.#tokens.get(key)
    if (token === undefined) {
      token = `keelson-${newUid()}`
      this.#tokens.set(key, token)
      this.#users.set(token, user)
    }
    return token
  }

  authenticateToken(token: string): UserInfo | undefined {
    return this.#users.get(token)
  }
}
