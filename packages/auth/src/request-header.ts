import type { UserInfo } from '@keelson/apimachinery'
import { unknownCredentials } from './authenticator.ts'
import type { AuthenticationResult, Authenticator } from './authenticator.ts'
import { commonNameOf } from './client-certificate.ts'
import { headerText, unescapeExtraKey } from './identity-headers.ts'
import type { IdentityHeaders } from './identity-headers.ts'

export interface RequestHeaderOptions {
  /** The first of these headers with a value names the user. */
  readonly usernameHeaders: readonly string[]
  readonly uidHeaders?: readonly string[]
  /** Every value of these headers is a group. */
  readonly groupHeaders?: readonly string[]
  /** The rest of a header's name after one of these prefixes is an extra key. */
  readonly extraHeaderPrefixes?: readonly string[]
  /** Common names of accepted client certificates. Default: every certificate of the front proxies' CA. */
  readonly allowedNames?: readonly string[]
}

/**
 * Authenticates the user named by headers of a front proxy. The proxy identifies itself with a client certificate of a CA of its own.
 * Headers of other clients are ignored.
 */
export function createRequestHeaderAuthenticator(options: RequestHeaderOptions): Authenticator {
  const { usernameHeaders, uidHeaders = [], groupHeaders = [], extraHeaderPrefixes = [], allowedNames = [] } = options
  const names = lowerCase(usernameHeaders)
  const uids = lowerCase(uidHeaders)
  const groups = lowerCase(groupHeaders)
  const prefixes = lowerCase(extraHeaderPrefixes)
  const allowed = new Set(allowedNames)
  // Clients with an ordinary certificate are rejected here on each request, so the few different rejections are built once.
  const rejections = new Map<string, AuthenticationResult>()
  const rejected = (reason: string): AuthenticationResult => {
    let result = rejections.get(reason)
    if (result === undefined && rejections.size < maxRejections) rejections.set(reason, (result = { outcome: 'rejected', reason }))
    return result ?? { outcome: 'rejected', reason }
  }

  return {
    authenticate: ({ rawHeaders = [], frontProxyCertificate, frontProxyCertificateError }) => {
      if (frontProxyCertificateError !== undefined)
        return rejected(`verifying the certificate of a front proxy failed: ${frontProxyCertificateError}`)
      if (frontProxyCertificate === undefined) return unknownCredentials
      const commonName = commonNameOf(frontProxyCertificate)
      if (allowed.size > 0 && !allowed.has(commonName)) return rejected(`x509: subject with cn=${commonName} is not in the allowed list`)
      const headers = readHeaders(rawHeaders)
      const name = firstValue(headers, names)
      if (name === '') return unknownCredentials
      const user: UserInfo = {
        name,
        uid: firstValue(headers, uids),
        groups: groups.flatMap((header) => headers.get(header)?.filter((value) => value !== '') ?? []),
        extra: extraOf(headers, prefixes),
      }
      return { outcome: 'authenticated', user }
    },
  }
}

const maxRejections = 64

/** Lists the headers that `options` gives a meaning. */
export function requestHeaderNames(options: RequestHeaderOptions): IdentityHeaders {
  const { usernameHeaders, uidHeaders = [], groupHeaders = [], extraHeaderPrefixes = [] } = options
  return [...usernameHeaders, ...uidHeaders, ...groupHeaders, ...extraHeaderPrefixes.map((prefix) => `${prefix}*`)]
}

function lowerCase(names: readonly string[]): readonly string[] {
  return names.map((name) => name.trim().toLowerCase())
}

/** Values by header name in lower case. Repeated headers stay apart, because group names may contain commas. */
function readHeaders(rawHeaders: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const headers = new Map<string, string[]>()
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!.toLowerCase()
    const values = headers.get(name)
    if (values === undefined) headers.set(name, [headerText(rawHeaders[i + 1]!)])
    else values.push(headerText(rawHeaders[i + 1]!))
  }
  return headers
}

/** Only the first value of a header counts. If it is empty, the next header is tried. */
function firstValue(headers: ReadonlyMap<string, readonly string[]>, names: readonly string[]): string {
  for (const name of names) {
    const value = headers.get(name)?.[0]
    if (value) return value
  }
  return ''
}

function extraOf(headers: ReadonlyMap<string, readonly string[]>, prefixes: readonly string[]): NonNullable<UserInfo['extra']> {
  const extra = new Map<string, string[]>()
  for (const prefix of prefixes) {
    for (const [name, values] of headers) {
      if (!name.startsWith(prefix)) continue
      const key = unescapeExtraKey(name.slice(prefix.length))
      extra.set(key, [...(extra.get(key) ?? []), ...values])
    }
  }
  return Object.fromEntries(extra)
}
