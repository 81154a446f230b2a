import type { UserInfo } from '@keelson/apimachinery'
import { unknownCredentials } from './authenticator.ts'
import type { AuthenticationResult, Authenticator } from './authenticator.ts'
import { getCommonName } from './client-certificate.ts'
import { decodeHeaderValue, unescapeExtraKey } from './identity-headers.ts'
import type { IdentityHeaders } from './identity-headers.ts'

export interface RequestHeaderOptions {
  /** Headers with the user name. The first one with a value counts. */
  readonly usernameHeaders: readonly string[]
  readonly uidHeaders?: readonly string[]
  /** Headers with group names. Every value is a group. */
  readonly groupHeaders?: readonly string[]
  /** Prefixes of headers with extra fields. The rest of the header's name is the key. */
  readonly extraHeaderPrefixes?: readonly string[]
  /** Allowed common names of the front proxy's client certificate. Default: every certificate that the front proxy CA signed. */
  readonly allowedNames?: readonly string[]
}

/**
 * Authenticates the user named in headers of a front proxy. The proxy must present a client certificate of the front proxy CA. Headers of
 * other clients are ignored. `readOptions` returns the options for each request, and undefined if no front proxy is trusted. Changed options are
 * another object.
 */
export function createRequestHeaderAuthenticator(readOptions: () => RequestHeaderOptions | undefined): Authenticator {
  let current: RequestHeaderOptions | undefined
  let authenticator: Authenticator | undefined
  return {
    authenticate: (credentials) => {
      const newest = readOptions()
      if (newest !== current) authenticator = (current = newest) && createFixed(newest)
      return authenticator === undefined ? unknownCredentials : authenticator.authenticate(credentials)
    },
  }
}

function createFixed(options: RequestHeaderOptions): Authenticator {
  const { usernameHeaders, uidHeaders = [], groupHeaders = [], extraHeaderPrefixes = [], allowedNames = [] } = options
  const names = lowerCase(usernameHeaders)
  const uids = lowerCase(uidHeaders)
  const groups = lowerCase(groupHeaders)
  const prefixes = lowerCase(extraHeaderPrefixes)
  const allowed = new Set(allowedNames)
  // Cached rejections. Clients with an ordinary certificate are rejected here on each request, and few different reasons exist.
  const rejections = new Map<string, AuthenticationResult>()
  const rejectWith = (reason: string): AuthenticationResult => {
    let result = rejections.get(reason)
    if (result === undefined && rejections.size < maxRejections) rejections.set(reason, (result = { outcome: 'rejected', reason }))
    return result ?? { outcome: 'rejected', reason }
  }

  return {
    authenticate: ({ rawHeaders = [], frontProxyCertificate, frontProxyCertificateError }) => {
      if (frontProxyCertificateError !== undefined)
        return rejectWith(`verifying the certificate of a front proxy failed: ${frontProxyCertificateError}`)
      if (frontProxyCertificate === undefined) return unknownCredentials
      const commonName = getCommonName(frontProxyCertificate)
      if (allowed.size > 0 && !allowed.has(commonName)) return rejectWith(`x509: subject with cn=${commonName} is not in the allowed list`)
      const headers = readHeaders(rawHeaders)
      const name = readFirstValue(headers, names)
      if (name === '') return unknownCredentials
      const user: UserInfo = {
        name,
        uid: readFirstValue(headers, uids),
        groups: groups.flatMap((header) => headers.get(header)?.filter((value) => value !== '') ?? []),
        extra: readExtra(headers, prefixes),
      }
      return { outcome: 'authenticated', user }
    },
  }
}

const maxRejections = 64

/** Lists the names of the configured headers. */
export function listRequestHeaderNames(options: RequestHeaderOptions): IdentityHeaders {
  const { usernameHeaders, uidHeaders = [], groupHeaders = [], extraHeaderPrefixes = [] } = options
  return [...usernameHeaders, ...uidHeaders, ...groupHeaders, ...extraHeaderPrefixes.map((prefix) => `${prefix}*`)]
}

function lowerCase(names: readonly string[]): readonly string[] {
  return names.map((name) => name.trim().toLowerCase())
}

/** Returns values by lower-case header name. Repeated headers are not joined, because group names may contain commas. */
function readHeaders(rawHeaders: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const headers = new Map<string, string[]>()
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!.toLowerCase()
    const values = headers.get(name)
    if (values === undefined) headers.set(name, [decodeHeaderValue(rawHeaders[i + 1]!)])
    else values.push(decodeHeaderValue(rawHeaders[i + 1]!))
  }
  return headers
}

/** Returns the first value of the first header whose first value is not empty; "" if there is none. */
function readFirstValue(headers: ReadonlyMap<string, readonly string[]>, names: readonly string[]): string {
  for (const name of names) {
    const value = headers.get(name)?.[0]
    if (value) return value
  }
  return ''
}

function readExtra(headers: ReadonlyMap<string, readonly string[]>, prefixes: readonly string[]): NonNullable<UserInfo['extra']> {
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
