import { hash } from 'node:crypto'
import { parseJson } from '@keelson/apimachinery'
import { compactVerify } from 'jose/jws/compact/verify'
import type { RejectedToken } from '../token-authenticator.ts'
import type { TokenMetrics } from '../token-metrics.ts'
import type { VerificationKey } from './token-keys.ts'

/** The payload of a token whose signature is valid. Its members may have any type. */
export type VerifiedPayload = Readonly<Record<string, unknown>>

export interface TokenVerifier {
  /**
   * Verifies the signature of a JSON Web Token. Returns undefined if the token is not one of the issuers. Returns no promise for a cached
   * token.
   */
  verify(token: string, issuers: ReadonlySet<unknown>): VerifiedToken | Promise<VerifiedToken>
}

type VerifiedToken = { readonly payload: VerifiedPayload } | RejectedToken | undefined

export interface TokenVerifierOptions {
  /** Returns the keys with the given id, or all keys for "". */
  readonly keys: (id: string) => readonly VerificationKey[] | Promise<readonly VerificationKey[]>
  readonly metrics?: TokenMetrics | undefined
}

/** Maximum number of tokens whose valid signature is cached. */
const maxCachedTokens = 4096
/**
 * Matches the compact serialization: three base64url parts without padding. Node's decoder alone would also accept other alphabets and skip
 * invalid characters.
 */
const compactSerialization = /^[\w-]+\.[\w-]+\.[\w-]+$/

/**
 * Creates a verifier that uses `jose` and caches valid tokens. It accepts only known keys and their algorithms. Like go-jose in
 * kube-apiserver, it rejects other encodings of a token, critical extensions and duplicate members.
 */
export function createTokenVerifier({ keys, metrics }: TokenVerifierOptions): TokenVerifier {
  const cache = new Map<string, { readonly payload: VerifiedPayload }>()

  async function verifyNow(token: string, keyId: string): Promise<VerifiedToken> {
    const candidates = await keys(keyId)
    if (candidates.length === 0) return { rejected: 'invalid signature, no keys found' }
    for (const { publicKey, algorithm } of candidates) {
      try {
        await compactVerify(token, publicKey, { algorithms: [algorithm] })
      } catch {
        continue
      }
      const [header, payload] = token.split('.', 2).map((part) => parseJson(Buffer.from(part, 'base64url')))
      const [duplicate] = [...header!.duplicates, ...payload!.duplicates]
      if (duplicate !== undefined) return { rejected: `the token repeats the member ${JSON.stringify(duplicate)}` }
      return { payload: payload!.value as VerifiedPayload }
    }
    return { rejected: 'go-jose/go-jose: error in cryptographic primitive' }
  }

  return {
    verify: (token, issuers) => {
      const digest = hash('sha256', token, 'base64')
      const cached = cache.get(digest)
      if (cached !== undefined) {
        if (!issuers.has(cached.payload['iss'])) return undefined
        metrics?.cacheHit()
        return cached
      }
      const parsed = parseToken(token)
      if (parsed === undefined || !issuers.has(parsed.payload['iss'])) return undefined
      const recordDuration = metrics?.cacheMiss()
      return verifyNow(token, parsed.keyId).then(
        (verified) => {
          const isValid = verified !== undefined && 'payload' in verified
          recordDuration?.(isValid)
          if (isValid) {
            cache.set(digest, verified)
            if (cache.size > maxCachedTokens) cache.delete(cache.keys().next().value!)
          }
          return verified
        },
        (error: unknown) => {
          recordDuration?.(false)
          throw error
        },
      )
    },
  }
}

interface ParsedToken {
  readonly keyId: string
  readonly payload: VerifiedPayload
}

/** Parses a token without verifying it. Returns undefined if the token is malformed or requires an extension. */
function parseToken(token: string): ParsedToken | undefined {
  if (!compactSerialization.test(token)) return undefined
  const [header, payload] = token.split('.', 2).map(decode)
  if (header === undefined || payload === undefined) return undefined
  // RFC 7515, 4.1.11: a token with an unsupported critical extension must be refused. `b64: false` changes the signed bytes.
  if ('crit' in header || header['b64'] === false) return undefined
  const { kid = '' } = header
  return typeof kid === 'string' ? { keyId: kid, payload } : undefined
}

function decode(part: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'))
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
