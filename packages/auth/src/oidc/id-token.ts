import { getGoType } from './claims.ts'
import type { Claims } from './claims.ts'
import type { Provider, TokenHeader } from './provider.ts'

/** Accepted signature algorithms. Only asymmetric ones are allowed. */
export const signingAlgorithms: readonly string[] = ['ES256', 'ES384', 'ES512', 'PS256', 'PS384', 'PS512', 'RS256', 'RS384', 'RS512']

export interface IdTokenRules {
  readonly issuer: string
  /** Accepted audiences. A token must contain at least one. */
  readonly audiences: readonly string[]
  readonly algorithms: readonly string[]
  /** Returns the current time in milliseconds since the epoch. */
  readonly now: () => number
}

/**
 * Matches the compact serialization: three base64url parts without padding. Node's decoder alone would also accept other alphabets and skip
 * invalid characters.
 */
const compactSerialization = /^[\w-]+\.[\w-]+\.[\w-]+$/
/** Tolerated clock skew for `nbf`, in milliseconds. */
const notBeforeLeewayMs = 60_000

/** Returns the unverified claims of a token; undefined if the text is not a token in compact serialization. */
export function decodeUntrustedClaims(token: string): Claims | undefined {
  return compactSerialization.test(token) ? decodePart(token.split('.', 2)[1]!) : undefined
}

/** Returns the `iss` claim of an unverified token. */
export function getUntrustedIssuer(claims: Claims): string {
  const issuer = claims['iss']
  if (issuer === 'accounts.google.com') return 'https://accounts.google.com'
  return typeof issuer === 'string' ? issuer : ''
}

/** Verifies an ID token: its times, audience, algorithm and signature. Rejects with kube-apiserver's message. */
export async function verifyIdToken(token: string, provider: Pick<Provider, 'verify'>, rules: IdTokenRules): Promise<Claims> {
  const claims = decodeUntrustedClaims(token)
  if (claims === undefined) throw new Error('oidc: malformed jwt')
  const audiences = readAudiences(claims['aud'])
  if (!rules.audiences.some((audience) => audiences.includes(audience))) {
    const [only] = rules.audiences
    const expected = rules.audiences.length === 1 ? JSON.stringify(only) : `in ${formatQuoted(rules.audiences.toSorted())}`
    throw new Error(`oidc: expected audience ${expected} got ${formatQuoted(audiences)}`)
  }
  checkTimes(claims, rules.now())
  const header = decodeHeader(token)
  if (!rules.algorithms.includes(header.algorithm)) {
    throw new Error(
      `oidc: id token signed with unsupported algorithm, expected ${formatQuoted(rules.algorithms)} got ${JSON.stringify(header.algorithm)}`,
    )
  }
  await provider.verify(token, header)
  return claims
}

function decodeHeader(token: string): TokenHeader {
  const header = decodePart(token.split('.', 1)[0]!)
  // RFC 7515, 4.1.11: a token with an unsupported critical extension must be refused. `b64: false` changes the signed bytes.
  if (header === undefined || 'crit' in header || header['b64'] === false) throw new Error('oidc: malformed jwt')
  const { alg, kid = '' } = header
  if (typeof alg !== 'string' || typeof kid !== 'string') throw new Error('oidc: malformed jwt')
  return { algorithm: alg, keyId: kid }
}

function checkTimes({ exp, nbf }: Claims, now: number): void {
  const expiry = readSeconds(exp, 'exp') * 1000
  if (expiry < now) throw new Error(`oidc: token is expired (Token Expiry: ${goTime(expiry)})`)
  if (nbf === undefined || nbf === null) return
  const notBefore = readSeconds(nbf, 'nbf') * 1000
  if (now + notBeforeLeewayMs < notBefore) {
    throw new Error(`oidc: current time ${goTime(now)} before the nbf (not before) time: ${goTime(notBefore)}`)
  }
}

/** Reads a time claim in seconds. A missing claim counts as 0, as in Go. So a token without `exp` is expired. */
function readSeconds(value: Claims[string] | undefined, name: string): number {
  if (value === undefined || value === null) return 0
  if (typeof value === 'number') return Math.trunc(value)
  throw new Error(
    `oidc: failed to unmarshal claims: json: cannot unmarshal ${getGoType(value)} into Go struct field idToken.${name} of type float64`,
  )
}

function readAudiences(aud: Claims[string] | undefined): readonly string[] {
  if (typeof aud === 'string') return [aud]
  if (aud === undefined || aud === null) return []
  if (Array.isArray(aud) && aud.every((audience) => typeof audience === 'string')) return aud
  throw new Error('oidc: failed to unmarshal claims: json: cannot unmarshal into Go struct field idToken.aud of type []string')
}

function formatQuoted(texts: readonly string[]): string {
  return `[${texts.map((text) => JSON.stringify(text)).join(' ')}]`
}

function goTime(milliseconds: number): string {
  const date = new Date(milliseconds)
  return Number.isNaN(date.getTime())
    ? String(milliseconds)
    : date
        .toISOString()
        .replace('T', ' ')
        .replace(/(\.000)?Z$/, ' +0000 UTC')
}

function decodePart(part: string): Claims | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'))
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Claims) : undefined
  } catch {
    return undefined
  }
}
