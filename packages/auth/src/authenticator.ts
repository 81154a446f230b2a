import type { IncomingHttpHeaders } from 'node:http'
import type { PeerCertificate } from 'node:tls'
import type { UserInfo } from '@keelson/apimachinery'
import type { RequestNotes } from './token-authenticator.ts'

/** The parts of a request that an authenticator may read. */
export interface Credentials {
  readonly headers: IncomingHttpHeaders
  /** Header names and values as sent, alternating. Repeated headers are not joined. */
  readonly rawHeaders?: readonly string[]
  /** The URL's path. Anonymous access may be limited to some paths. */
  readonly path: string
  /** The client certificate, if the TLS layer verified it against the client CA. */
  readonly peerCertificate: PeerCertificate | undefined
  /** The verification error of the client certificate. Absent if the client sent no certificate. */
  readonly peerCertificateError?: string | undefined
  /** The client certificate, if the TLS layer verified it against the CA of front proxies. */
  readonly frontProxyCertificate?: PeerCertificate | undefined
  readonly frontProxyCertificateError?: string | undefined
  /** The same object for all requests of one connection. Authenticators may cache results under it. */
  readonly connection?: object | undefined
  /** Receives warnings and audit annotations of the request. */
  readonly notes?: RequestNotes | undefined
}

export type AuthenticationResult =
  | { readonly outcome: 'authenticated'; readonly user: UserInfo }
  /** The authenticator does not handle this kind of credentials. The next one is tried. */
  | { readonly outcome: 'unknown' }
  /** The credentials are invalid. The response is a 401 unless another authenticator accepts the request. */
  | { readonly outcome: 'rejected'; readonly reason: string }

export interface Authenticator {
  /** Returns the user of the credentials. Invalid credentials are an outcome: the method must not throw or reject for them. */
  authenticate(credentials: Credentials): Promise<AuthenticationResult> | AuthenticationResult
}

/** The result for credentials that an authenticator does not handle. */
export const unknownCredentials: AuthenticationResult = { outcome: 'unknown' }
