import type { IncomingHttpHeaders } from 'node:http'
import type { PeerCertificate } from 'node:tls'
import type { UserInfo } from '@keelson/apimachinery'

/** What an authenticator may look at. */
export interface Credentials {
  readonly headers: IncomingHttpHeaders
  /** The URL's path, for anonymous access that is limited to some paths. */
  readonly path: string
  /** The client's certificate when the TLS layer verified it against the client CA; otherwise undefined. */
  readonly peerCertificate: PeerCertificate | undefined
  /** Why a certificate that the client did present was not accepted; absent when it presented none. */
  readonly peerCertificateError?: string | undefined
  /** The same object for all requests of one connection: what was found out about credentials may be remembered with it. */
  readonly connection?: object | undefined
}

export type AuthenticationResult =
  | { readonly outcome: 'authenticated'; readonly user: UserInfo }
  /** These credentials are not mine: ask the next. */
  | { readonly outcome: 'unknown' }
  /** Mine, and wrong: 401 unless another authenticator accepts. */
  | { readonly outcome: 'rejected'; readonly reason: string }

export interface Authenticator {
  /** Must not reject or throw for wrong credentials; that is an outcome. */
  authenticate(credentials: Credentials): Promise<AuthenticationResult> | AuthenticationResult
}

/** The answer of an authenticator that these credentials do not concern. */
export const unknownCredentials: AuthenticationResult = { outcome: 'unknown' }
