import { isPathSegmentName } from '@keelson/apimachinery'
import type { RequestNotes } from '../token-authenticator.ts'
import type { TokenMetrics } from '../token-metrics.ts'
import { formatServiceAccountUserName } from '../well-known-user-names.ts'

/** An object that a token is bound to. */
export interface ObjectReference {
  readonly name: string
  /** Absent for a node that did not exist when the token was issued. */
  readonly uid?: string
}

/** The claims of a service account token, without the issuer. */
export interface ServiceAccountClaims {
  /** Unique id of the token, the claim `jti`. */
  readonly id: string
  readonly namespace: string
  readonly serviceAccount: ObjectReference
  readonly audiences: readonly string[]
  readonly expirationSeconds: number
  /**
   * The Pod that the token is bound to. A token has at most one of pod, secret and node, except that the token of a pod may also have a
   * node.
   */
  readonly pod?: ObjectReference
  readonly secret?: ObjectReference
  readonly node?: ObjectReference
  /** Age in seconds after which a use of the token is reported as stale, although it is still valid. */
  readonly warnAfterSeconds?: number
}

/** The private claims, under "kubernetes.io" in the token's payload. */
export interface KubernetesClaims {
  readonly namespace: string
  readonly node?: ObjectReference
  readonly pod?: ObjectReference
  readonly secret?: ObjectReference
  readonly serviceaccount: ObjectReference
  readonly warnafter?: number
}

export interface TokenPayload {
  readonly aud: readonly string[]
  readonly exp: number
  readonly iat: number
  readonly iss: string
  readonly jti: string
  readonly 'kubernetes.io': KubernetesClaims
  readonly nbf: number
  readonly sub: string
}

/** Builds a token's payload. `now` is in milliseconds since the epoch. */
export function buildTokenPayload(claims: ServiceAccountClaims, issuer: string, now: number): TokenPayload {
  const seconds = Math.floor(now / 1000)
  const { namespace, serviceAccount, pod, secret, node, warnAfterSeconds } = claims
  return {
    aud: claims.audiences,
    exp: seconds + claims.expirationSeconds,
    iat: seconds,
    iss: issuer,
    jti: claims.id,
    'kubernetes.io': {
      namespace,
      ...(node && { node }),
      ...(pod && { pod }),
      ...(secret && { secret }),
      serviceaccount: serviceAccount,
      ...(warnAfterSeconds !== undefined && { warnafter: seconds + warnAfterSeconds }),
    },
    nbf: seconds,
    sub: formatServiceAccountUserName(namespace, serviceAccount.name),
  }
}

/** Checks the types of a verified payload. Returns undefined if a member has the wrong type. */
export function readPayload(payload: Readonly<Record<string, unknown>>): TokenPayload | undefined {
  const { exp, iat, nbf, iss, jti, sub, 'kubernetes.io': privateClaims } = payload
  const audiences = readAudiences(payload)
  const times = [exp, iat, nbf].every((time) => typeof time === 'number' && Number.isFinite(time))
  if (!times || typeof iss !== 'string' || typeof sub !== 'string' || typeof privateClaims !== 'object' || privateClaims === null)
    return undefined
  if (audiences === undefined) return undefined
  const { namespace, serviceaccount, pod, secret, node, warnafter } = privateClaims as Record<string, unknown>
  if (!isName(namespace) || !isReference(serviceaccount)) return undefined
  if (![pod, secret, node].every((reference) => reference === undefined || isReference(reference))) return undefined
  if (warnafter !== undefined && typeof warnafter !== 'number') return undefined
  return { ...(payload as unknown as TokenPayload), aud: audiences, jti: typeof jti === 'string' ? jti : '' }
}

/** Returns the audiences of a payload; an empty list if there are none; undefined if they have the wrong type. */
export function readAudiences({ aud = [] }: Readonly<Record<string, unknown>>): readonly string[] | undefined {
  if (typeof aud === 'string') return [aud]
  return Array.isArray(aud) && aud.every((audience) => typeof audience === 'string') ? aud : undefined
}

interface AudienceOptions {
  /** The audiences of this server. */
  readonly serverAudiences: readonly string[]
  readonly notes: RequestNotes | undefined
  readonly metrics: TokenMetrics | undefined
}

/** Returns the audiences of a token. A token without audiences is a legacy token and valid for this server's audiences. */
export function getAudiences(
  { aud, sub }: Pick<TokenPayload, 'aud' | 'sub'>,
  { serverAudiences, notes, metrics }: AudienceOptions,
): readonly string[] {
  if (aud.length > 0) return aud
  notes?.annotate?.('authentication.k8s.io/legacy-token', sub)
  if (metrics !== undefined) metrics.legacy.value++
  return serverAudiences
}

function isReference(value: unknown): value is ObjectReference {
  const { name, uid } = (value ?? {}) as Record<string, unknown>
  return isName(name) && (uid === undefined || typeof uid === 'string')
}

/** Returns whether the value is a valid name of an object or namespace. Objects with other names must not be looked up. */
export function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && isPathSegmentName(value).length === 0
}
