import { isPathSegmentName } from '@keelson/apimachinery'
import { serviceAccountUserName } from '../well-known-user-names.ts'

/** An object as a token remembers it. */
export interface ObjectReference {
  readonly name: string
  /** Absent for a node that was not there when the token was made. */
  readonly uid?: string
}

/** What a service account's token says, beside who issued it. */
export interface ServiceAccountClaims {
  readonly namespace: string
  readonly serviceAccount: ObjectReference
  readonly audiences: readonly string[]
  readonly expirationSeconds: number
  /** At most one of the three, but that a pod's node may stand beside the pod. */
  readonly pod?: ObjectReference
  readonly secret?: ObjectReference
  readonly node?: ObjectReference
  /** When the holder should have asked for a new token, though this one is still good. */
  readonly warnAfterSeconds?: number
}

/** The members of the token's payload under "kubernetes.io". */
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

/** `now` in ms; `id` unique to the token. */
export function tokenPayload(claims: ServiceAccountClaims, issuer: string, now: number, id: string): TokenPayload {
  const seconds = Math.floor(now / 1000)
  const { namespace, serviceAccount, pod, secret, node, warnAfterSeconds } = claims
  return {
    aud: claims.audiences,
    exp: seconds + claims.expirationSeconds,
    iat: seconds,
    iss: issuer,
    jti: id,
    'kubernetes.io': {
      namespace,
      ...(node && { node }),
      ...(pod && { pod }),
      ...(secret && { secret }),
      serviceaccount: serviceAccount,
      ...(warnAfterSeconds !== undefined && { warnafter: seconds + warnAfterSeconds }),
    },
    nbf: seconds,
    sub: serviceAccountUserName(namespace, serviceAccount.name),
  }
}

/** A payload whose signature was found good, with every member of the type it should have; undefined otherwise. */
export function readPayload(payload: Readonly<Record<string, unknown>>): TokenPayload | undefined {
  const { aud, exp, iat, nbf, iss, jti, sub, 'kubernetes.io': own } = payload
  const audiences = typeof aud === 'string' ? [aud] : aud
  const times = [exp, iat, nbf].every((time) => typeof time === 'number' && Number.isFinite(time))
  if (!times || typeof iss !== 'string' || typeof sub !== 'string' || typeof own !== 'object' || own === null) return undefined
  if (!Array.isArray(audiences) || !audiences.every((audience) => typeof audience === 'string')) return undefined
  const { namespace, serviceaccount, pod, secret, node, warnafter } = own as Record<string, unknown>
  if (!isName(namespace) || !isReference(serviceaccount)) return undefined
  if (![pod, secret, node].every((reference) => reference === undefined || isReference(reference))) return undefined
  if (warnafter !== undefined && typeof warnafter !== 'number') return undefined
  return { ...(payload as unknown as TokenPayload), aud: audiences, jti: typeof jti === 'string' ? jti : '' }
}

function isReference(value: unknown): value is ObjectReference {
  const { name, uid } = (value ?? {}) as Record<string, unknown>
  return isName(name) && (uid === undefined || typeof uid === 'string')
}

/** What an object or a namespace may be called; anything else is no object's, and must not be looked up. */
function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && isPathSegmentName(value).length === 0
}
