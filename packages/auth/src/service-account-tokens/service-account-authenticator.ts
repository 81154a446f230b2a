import { hash } from 'node:crypto'
import { systemClock } from '@keelson/apimachinery'
import type { Clock } from '@keelson/apimachinery'
import type { TokenAuthenticator, TokenForAudiences } from '../token-authenticator.ts'
import { readPayload } from './claims.ts'
import type { ObjectReference, TokenPayload } from './claims.ts'
import { hasSignatureOf, parseToken } from './json-web-token.ts'
import { serviceAccountUser } from './service-account-user.ts'
import type { VerificationKey } from './token-keys.ts'

/** What of an object decides whether tokens bound to it are good. */
export interface BoundObject {
  readonly uid: string
  readonly deletionTimestamp?: string
}

/** Looks objects up that tokens are bound to; undefined when there is none. `namespace` is "" for nodes. */
export type BoundObjectGetter = (
  resource: 'serviceaccounts' | 'pods' | 'secrets' | 'nodes',
  namespace: string,
  name: string,
) => Promise<BoundObject | undefined>

export interface ServiceAccountAuthenticatorOptions {
  /** Tokens of other issuers are left to others. */
  readonly issuers: readonly string[]
  readonly keys: readonly VerificationKey[]
  /** A token must be meant for one of these. */
  readonly audiences: readonly string[]
  readonly getter: BoundObjectGetter
  readonly clock?: Clock
}

/** How far two clocks may differ, ms. */
const leeway = 60_000
/** Signatures that were found good are remembered for so many tokens. */
const rememberedTokens = 4096

/**
 * Accepts the tokens of service accounts: signed by one of the keys, in time, for this server, and bound to objects that are still there.
 * A signature is checked once; the objects are looked up each time, so a deletion ends a token at once.
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
    if (verified.size > rememberedTokens) verified.delete(verified.keys().next().value!)
    return payload
  }

  function isInTime({ exp, nbf, iat }: TokenPayload, now: number): boolean {
    return now <= exp * 1000 + leeway && now + leeway >= nbf * 1000 && now + leeway >= iat * 1000
  }

  async function stands(payload: TokenPayload, now: number): Promise<boolean> {
    const { namespace, serviceaccount, pod, secret, node } = payload['kubernetes.io']
    const isThere = async (resource: Parameters<BoundObjectGetter>[0], reference: ObjectReference): Promise<boolean> => {
      const found = await getter(resource, resource === 'nodes' ? '' : namespace, reference.name)
      if (found === undefined || found.uid !== reference.uid) return false
      return found.deletionTimestamp === undefined || Date.parse(found.deletionTimestamp) >= now - leeway
    }
    if (!(await isThere('serviceaccounts', serviceaccount))) return false
    if (secret !== undefined && !(await isThere('secrets', secret))) return false
    if (pod !== undefined) return isThere('pods', pod)
    return node === undefined || isThere('nodes', node)
  }

  async function authenticateFor(token: string, wanted: readonly string[]): Promise<TokenForAudiences | undefined> {
    const payload = payloadOf(token)
    const now = clock.now()
    if (payload === undefined || !isInTime(payload, now)) return undefined
    // A token that names no audience was made before there were any, for this server.
    const own = payload.aud.length === 0 ? options.audiences : payload.aud
    const common = own.filter((audience) => wanted.includes(audience))
    if (common.length === 0) return undefined
    return (await stands(payload, now)) ? { user: serviceAccountUser(payload), audiences: common } : undefined
  }

  return {
    authenticateToken: async (token) => (await authenticateFor(token, options.audiences))?.user,
    authenticateFor,
  }
}
