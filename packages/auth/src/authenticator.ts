import type { IncomingHttpHeaders } from 'node:http'
import type { PeerCertificate } from 'node:tls'
import type { UserInfo } from '@keelson/apimachinery'

/** What an authenticator may look at. */
export interface Credentials {
  readonly headers: IncomingHttpHeaders
  /** The client's certificate when the TLS layer verified it against the client CA; otherwise undefined. */
  readonly peerCertificate: PeerCertificate | undefined
}

export type AuthenticationResult =
  | { readonly outcome: 'authenticated'; readonly user: UserInfo }
  /** These credentials are not mine: ask the next. */
  | { readonly outcome: 'unknown' }
  /** Mine, and wrong: 401 unless another authenticator accepts. */
  | { readonly outcome: 'rejected'; readonly reason: string }

export interface Authenticator {
  authenticate(credentials: Credentials): Promise<AuthenticationResult> | AuthenticationResult
}
