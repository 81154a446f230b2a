import { hash } from 'node:crypto'
import { systemClock } from '@keelson/apimachinery'
import type { Clock } from '@keelson/apimachinery'
import type { TokenAuthenticator, TokenForAudiences } from '../token-authenticator.ts'
import { readPayload } from './claims.ts'
import type { ObjectReference, TokenPayload } from './claims.ts'
import { hasSignatureOf, parseToken } from './json-web-token.ts'
import { serviceAccountUser } from './service-account-user.ts'
import type { VerificationKey } from './token-keys.ts'

/** The fields of an object that decide whether tokens bound to it are valid. */
export interface BoundObject {
  readonly uid: string
  readonly deletionTimestamp?: string
}

/** Looks up an object that a token is bound to; undefined if it does not exist. `namespace` is "" for nodes. */
export type BoundObjectGetter = (
  resource: 'serviceaccounts' | 'pods' | 'secrets' | 'nodes',
  namespace: string,
  name: string,
) => Promise<BoundObject | undefined>

export interface ServiceAccountAuthenticatorOptions {
  /** Tokens of other issuers are left to other authenticators. */
  readonly issuers: readonly string[]
  readonly keys: readonly VerificationKey[]
  /** A token must be valid for at least one of these. */
  readonly audiences: readonly string[]
  readonly getter: BoundObjectGetter
  readonly clock?: Clock
}

/** Tolerated clock skew, ms. */
const clockSkew = 60_000
/** Number of tokens whose valid signature is cached. */
const maxCachedTokens = 4096

/**
 * Accepts service account tokens that are signed by one of the keys, unexpired, for this server's audience, and bound to existing objects.
 * Signatures are cached. The bound objects are looked up each time, so deleting one revokes its tokens at once.
 */
export function createServiceAccountAuthenticator(options: ServiceAccountAuthenticatorOptions): TokenAuthenticator {
  const { clock = systemClock, getter } = options
  const issuers = new Set(options.issuers)
  const verified = new Map<string, TokenPayload>()

  function payloadOf(token: string): TokenPayload | undefined {
    const parsed = parseToken(token)
    if (parsed === undefined || !issuers.has(String(parsed.payload['iss']))) return undefined
    const digest = hash('sha256', token, 'base64')
    const known = verified.get(digest)
    if (known !== undefined) return known
    const candidates = options.keys.filter(({ id }) => parsed.keyId === '' || parsed.keyId === id)
    const payload = candidates.some((key) => hasSignatureOf(parsed, key)) ? readPayload(parsed.payload) : undefined
    if (payload === undefined) return undefined
    verified.set(digest, payload)
    if (verified.size > maxCachedTokens) verified.delete(verified.keys().next().value!)
    return payload
  }

  function isInTime({ exp, nbf, iat }: TokenPayload, now: number): boolean {
    return now <= exp * 1000 + clockSkew && now + clockSkew >= nbf * 1000 && now + clockSkew >= iat * 1000
  }

  async function isStillBound(payload: TokenPayload, now: number): Promise<boolean> {
    const { namespace, serviceaccount, pod, secret, node } = payload['kubernetes.io']
    const exists = async (resource: Parameters<BoundObjectGetter>[0], reference: ObjectReference): Promise<boolean> => {
      const found = await getter(resource, resource === 'nodes' ? '' : namespace, reference.name)
      if (found === undefined || found.uid !== reference.uid) return false
      return found.deletionTimestamp === undefined || Date.parse(found.deletionTimestamp) >= now - clockSkew
    }
    if (!(await exists('serviceaccounts', serviceaccount))) return false
    if (secret !== undefined && !(await exists('secrets', secret))) return false
    if (pod !== undefined) return exists('pods', pod)
    return node === undefined || exists('nodes', node)
  }

  async function authenticateFor(token: string, wanted: readonly string[]): Promise<TokenForAudiences | undefined> {
    const payload = payloadOf(token)
    const now = clock.now()
    if (payload === undefined || !isInTime(payload, now)) return undefined
    // Legacy tokens name no audience and are valid for this server.
    const audiences = payload.aud.length === 0 ? options.audiences : payload.aud
    const common = audiences.filter((audience) => wanted.includes(audience))
    if (common.length === 0) return undefined
    return (await isStillBound(payload, now)) ? { user: serviceAccountUser(payload), audiences: common } : undefined
  }

  return {
    authenticateToken: async (token) => (await authenticateFor(token, options.audiences))?.user,
    authenticateFor,
  }
}
