import { systemClock } from '@keelson/apimachinery'
import type { Clock } from '@keelson/apimachinery'
import { createAudienceAuthenticator, isRejectedToken } from '../token-authenticator.ts'
import type { RejectedToken, RequestNotes, TokenAuthenticator, TokenForAudiences } from '../token-authenticator.ts'
import type { TokenMetrics } from '../token-metrics.ts'
import { getAudiences, readPayload } from './claims.ts'
import type { ObjectReference, TokenPayload } from './claims.ts'
import { buildServiceAccountUser } from './service-account-user.ts'
import type { TokenVerifier } from './token-verifier.ts'

/** The fields of a bound object that affect the validity of tokens. */
export interface BoundObject {
  readonly uid: string
  readonly deletionTimestamp?: string
}

/** Returns the object that a token is bound to; undefined if it does not exist. `namespace` is "" for nodes. */
export type BoundObjectGetter = (
  resource: 'serviceaccounts' | 'pods' | 'secrets' | 'nodes',
  namespace: string,
  name: string,
) => Promise<BoundObject | undefined>

export interface ServiceAccountAuthenticatorOptions {
  readonly verifier: TokenVerifier
  /** Accepted issuers. Tokens of other issuers are not recognized. */
  readonly issuers: readonly string[]
  /** Audiences of this server. A token must contain at least one. */
  readonly audiences: readonly string[]
  readonly getter: BoundObjectGetter
  readonly clock?: Clock
  readonly metrics?: TokenMetrics | undefined
}

/** Tolerated clock skew in milliseconds. */
const clockSkew = 60_000
const invalidated: RejectedToken = { rejected: 'service account token has been invalidated' }

/**
 * Authenticates service account tokens. A token must be signed by one of the keys, not be expired, have an audience of this server, and be
 * bound to existing objects. The bound objects are looked up for each request, so deleting one revokes its tokens at once.
 */
export function createServiceAccountAuthenticator(options: ServiceAccountAuthenticatorOptions): TokenAuthenticator {
  const { verifier, clock = systemClock, getter, metrics } = options
  const issuers = new Set<unknown>(options.issuers)

  /** Returns the reason for which the token is not valid; undefined if it is valid. */
  async function findProblem(payload: TokenPayload, now: number): Promise<RejectedToken | undefined> {
    const { namespace, serviceaccount, pod, secret, node } = payload['kubernetes.io']
    const checkReference = async (
      resource: 'pods' | 'secrets' | 'nodes',
      reference: ObjectReference,
    ): Promise<RejectedToken | undefined> => {
      const object = await getter(resource, resource === 'nodes' ? '' : namespace, reference.name)
      if (object === undefined) return invalidated
      const kind = resource.slice(0, -1)
      if (object.uid !== (reference.uid ?? '')) {
        return { rejected: `${kind} UID (${object.uid}) does not match service account ${kind} ref claim (${reference.uid ?? ''})` }
      }
      return isDeleted(object, now) ? invalidated : undefined
    }
    const account = await getter('serviceaccounts', namespace, serviceaccount.name)
    if (account === undefined) return { rejected: `serviceaccounts ${JSON.stringify(serviceaccount.name)} not found` }
    if (account.uid !== (serviceaccount.uid ?? '')) {
      return { rejected: `service account UID (${account.uid}) does not match claim (${serviceaccount.uid ?? ''})` }
    }
    if (isDeleted(account, now)) return { rejected: `service account ${namespace}/${serviceaccount.name} has been deleted` }
    const ofSecret = secret && (await checkReference('secrets', secret))
    if (ofSecret !== undefined) return ofSecret
    if (pod !== undefined) return checkReference('pods', pod)
    return node && checkReference('nodes', node)
  }

  async function authenticateFor(
    token: string,
    requestedAudiences: readonly string[],
    notes?: RequestNotes,
  ): Promise<TokenForAudiences | RejectedToken | undefined> {
    const verified = await verifier.verify(token, issuers)
    if (verified === undefined || isRejectedToken(verified)) return verified
    const payload = readPayload(verified.payload)
    if (payload === undefined) return { rejected: 'service account token claims could not be validated due to unexpected validation error' }
    const audiences = getAudiences(payload, { serverAudiences: options.audiences, notes, metrics })
    const common = audiences.filter((audience) => requestedAudiences.includes(audience))
    if (common.length === 0) return rejectAudience(audiences, requestedAudiences)
    const now = clock.now()
    const problem = findTimeProblem(payload, now) ?? (await findProblem(payload, now))
    if (problem !== undefined) return problem
    noteAge(payload, now, notes)
    return { user: buildServiceAccountUser(payload), audiences: common }
  }

  /** Counts uses of tokens with an extended lifetime. Adds an audit annotation if the token should have been replaced by now. */
  function noteAge({ sub, 'kubernetes.io': { warnafter } }: TokenPayload, now: number, notes: RequestNotes | undefined): void {
    if (!warnafter) return
    const seconds = Math.floor(now / 1000) - warnafter
    if (now <= warnafter * 1000) {
      if (metrics !== undefined) metrics.valid.value++
      return
    }
    if (metrics !== undefined) metrics.stale.value++
    notes?.annotate?.('authentication.k8s.io/stale-token', `subject: ${sub}, seconds after warning threshold: ${seconds}`)
  }

  return createAudienceAuthenticator(options.audiences, authenticateFor)
}

export function rejectAudience(audiences: readonly string[], expected: readonly string[]): RejectedToken {
  return { rejected: `token audiences ${formatQuoted(audiences)} is invalid for the target audiences ${formatQuoted(expected)}` }
}

/** Formats a list of strings like Go's `%q`. */
function formatQuoted(texts: readonly string[]): string {
  return `[${texts.map((text) => JSON.stringify(text)).join(' ')}]`
}

function findTimeProblem({ exp, nbf, iat }: TokenPayload, now: number): RejectedToken | undefined {
  if (now + clockSkew < nbf * 1000) return { rejected: 'service account token is not valid yet' }
  if (now - clockSkew > exp * 1000) return { rejected: 'service account token has expired' }
  return now + clockSkew < iat * 1000 ? { rejected: 'service account token is issued in the future' } : undefined
}

function isDeleted({ deletionTimestamp }: BoundObject, now: number): boolean {
  return deletionTimestamp !== undefined && Date.parse(deletionTimestamp) < now - clockSkew
}
