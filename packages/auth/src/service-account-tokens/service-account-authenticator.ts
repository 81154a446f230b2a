import { systemClock } from '@keelson/apimachinery'
import type { Clock } from '@keelson/apimachinery'
import { isRejectedToken, rejectionOf } from '../token-authenticator.ts'
import type { RejectedToken, RequestNotes, TokenAuthenticator, TokenForAudiences } from '../token-authenticator.ts'
import type { TokenMetrics } from '../token-metrics.ts'
import { audiencesOf, readPayload } from './claims.ts'
import type { ObjectReference, TokenPayload } from './claims.ts'
import { serviceAccountUser } from './service-account-user.ts'
import type { TokenVerifier } from './token-verifier.ts'

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
  readonly verifier: TokenVerifier
  /** Tokens of other issuers are left to other authenticators. */
  readonly issuers: readonly string[]
  /** A token must be valid for at least one of these. */
  readonly audiences: readonly string[]
  readonly getter: BoundObjectGetter
  readonly clock?: Clock
  readonly metrics?: TokenMetrics | undefined
}

/** Tolerated clock skew, ms. */
const clockSkew = 60_000
const invalidated: RejectedToken = { rejected: 'service account token has been invalidated' }

/**
 * Accepts service account tokens that are signed by one of the keys, unexpired, for this server's audience, and bound to existing objects.
 * The bound objects are looked up each time, so deleting one revokes its tokens at once.
 */
export function createServiceAccountAuthenticator(options: ServiceAccountAuthenticatorOptions): TokenAuthenticator {
  const { verifier, clock = systemClock, getter, metrics } = options
  const issuers = new Set<unknown>(options.issuers)

  /** Returns why the token is not valid; undefined if it is. */
  async function problemWith(payload: TokenPayload, now: number): Promise<RejectedToken | undefined> {
    const { namespace, serviceaccount, pod, secret, node } = payload['kubernetes.io']
    const problem = async (resource: 'pods' | 'secrets' | 'nodes', reference: ObjectReference): Promise<RejectedToken | undefined> => {
      const found = await getter(resource, resource === 'nodes' ? '' : namespace, reference.name)
      if (found === undefined) return invalidated
      const kind = resource.slice(0, -1)
      if (found.uid !== (reference.uid ?? '')) {
        return { rejected: `${kind} UID (${found.uid}) does not match service account ${kind} ref claim (${reference.uid ?? ''})` }
      }
      return isDeleted(found, now) ? invalidated : undefined
    }
    const account = await getter('serviceaccounts', namespace, serviceaccount.name)
    if (account === undefined) return { rejected: `serviceaccounts ${JSON.stringify(serviceaccount.name)} not found` }
    if (account.uid !== (serviceaccount.uid ?? '')) {
      return { rejected: `service account UID (${account.uid}) does not match claim (${serviceaccount.uid ?? ''})` }
    }
    if (isDeleted(account, now)) return { rejected: `service account ${namespace}/${serviceaccount.name} has been deleted` }
    const ofSecret = secret && (await problem('secrets', secret))
    if (ofSecret !== undefined) return ofSecret
    if (pod !== undefined) return problem('pods', pod)
    return node && problem('nodes', node)
  }

  async function authenticateFor(
    token: string,
    wanted: readonly string[],
    notes?: RequestNotes,
  ): Promise<TokenForAudiences | RejectedToken | undefined> {
    const verified = await verifier.verify(token, issuers)
    if (verified === undefined || isRejectedToken(verified)) return verified
    const payload = readPayload(verified.payload)
    if (payload === undefined) return { rejected: 'service account token claims could not be validated due to unexpected validation error' }
    const audiences = audiencesOf(payload, { own: options.audiences, notes, metrics })
    const common = audiences.filter((audience) => wanted.includes(audience))
    if (common.length === 0) return wrongAudience(audiences, wanted)
    const now = clock.now()
    const problem = problemWithTime(payload, now) ?? (await problemWith(payload, now))
    if (problem !== undefined) return problem
    noteAge(payload, now, notes)
    return { user: serviceAccountUser(payload), audiences: common }
  }

  /** Counts tokens whose lifetime was extended, and reports those whose holder should have requested a new one. */
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

  const safely: typeof authenticateFor = (...token) => authenticateFor(...token).catch(rejectionOf)
  return {
    authenticateToken: async (token, notes) => {
      const result = await safely(token, options.audiences, notes)
      return result !== undefined && 'user' in result ? result.user : result
    },
    authenticateFor: safely,
  }
}

export function wrongAudience(audiences: readonly string[], wanted: readonly string[]): RejectedToken {
  return { rejected: `token audiences ${quoted(audiences)} is invalid for the target audiences ${quoted(wanted)}` }
}

/** A list of texts as Go's `%q` prints it. */
function quoted(texts: readonly string[]): string {
  return `[${texts.map((text) => JSON.stringify(text)).join(' ')}]`
}

function problemWithTime({ exp, nbf, iat }: TokenPayload, now: number): RejectedToken | undefined {
  if (now + clockSkew < nbf * 1000) return { rejected: 'service account token is not valid yet' }
  if (now - clockSkew > exp * 1000) return { rejected: 'service account token has expired' }
  return now + clockSkew < iat * 1000 ? { rejected: 'service account token is issued in the future' } : undefined
}

function isDeleted({ deletionTimestamp }: BoundObject, now: number): boolean {
  return deletionTimestamp !== undefined && Date.parse(deletionTimestamp) < now - clockSkew
}
