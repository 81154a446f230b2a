import { timingSafeEqual } from 'node:crypto'
import type { Secret, ServiceAccount } from '@keelson/api/core/v1'
import { systemClock } from '@keelson/apimachinery'
import type { Clock, DeepReadonly } from '@keelson/apimachinery'
import { createAudienceAuthenticator, isRejectedToken } from '../token-authenticator.ts'
import type { RejectedToken, RequestNotes, TokenAuthenticator, TokenForAudiences } from '../token-authenticator.ts'
import type { TokenMetrics } from '../token-metrics.ts'
import { listServiceAccountGroups, parseServiceAccountUserName, formatServiceAccountUserName } from '../well-known-user-names.ts'
import { getAudiences, isName, readAudiences } from './claims.ts'
import { rejectAudience } from './service-account-authenticator.ts'
import type { TokenVerifier, VerifiedPayload } from './token-verifier.ts'

/** The `iss` claim of legacy tokens, which are stored in secrets. */
const legacyIssuer = 'kubernetes/serviceaccount'
const issuers: ReadonlySet<unknown> = new Set([legacyIssuer])
const prefix = 'kubernetes.io/serviceaccount/'
const lastUsedLabel = 'kubernetes.io/legacy-token-last-used'
const invalidSinceLabel = 'kubernetes.io/legacy-token-invalid-since'
const invalidated: RejectedToken = { rejected: 'Token has been invalidated' }

/** Access to the service accounts and secrets of legacy tokens. */
export interface LegacyTokenObjects {
  getSecret(namespace: string, name: string): Promise<DeepReadonly<Secret> | undefined>
  getServiceAccount(namespace: string, name: string): Promise<DeepReadonly<ServiceAccount> | undefined>
  /** Sets a label of a secret if the secret still has the same UID. */
  label(secret: DeepReadonly<Secret>, label: string, value: string): Promise<void>
}

export interface LegacyTokenOptions {
  readonly verifier: TokenVerifier
  /** The audiences of this server, for which all legacy tokens are valid. */
  readonly audiences: readonly string[]
  /** Access to secrets and service accounts. If undefined, tokens are valid even if their secret and service account do not exist. */
  readonly objects: LegacyTokenObjects | undefined
  readonly clock?: Clock
  readonly metrics?: TokenMetrics | undefined
  /** Called when a secret cannot be labelled. */
  readonly onError?: (error: unknown) => void
}

/** The claims of a legacy token. */
interface LegacyClaims {
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly secret: string
}

/**
 * Authenticates legacy service account tokens, which are stored in secrets of type `kubernetes.io/service-account-token` and never expire.
 * A token is valid while its secret contains it. The date of its last use becomes a label of the secret, so that administrators can find
 * unused tokens.
 */
export function createLegacyTokenAuthenticator(options: LegacyTokenOptions): TokenAuthenticator {
  const { verifier, objects, clock = systemClock, metrics, onError = () => {} } = options
  /** UIDs of secrets with a running update of the label. */
  const labelling = new Set<string>()

  function markUsed(secret: DeepReadonly<Secret>): void {
    const uid = secret.metadata.uid ?? ''
    const formatDay = (at: number): string => new Date(at).toISOString().slice(0, 10)
    const today = formatDay(clock.now())
    const lastUsed = secret.metadata.labels?.[lastUsedLabel]
    // Tomorrow's date also counts, because another server's clock may be ahead.
    if (lastUsed === today || lastUsed === formatDay(clock.now() + 86_400_000) || labelling.has(uid)) return
    labelling.add(uid)
    objects!
      .label(secret, lastUsedLabel, today)
      .catch(onError)
      .finally(() => labelling.delete(uid))
  }

  async function findProblem(token: string, claims: LegacyClaims, notes: RequestNotes | undefined): Promise<RejectedToken | undefined> {
    const { namespace, name, uid } = claims
    const secret = await objects!.getSecret(namespace, claims.secret)
    if (secret === undefined || secret.metadata.deletionTimestamp !== undefined) return invalidated
    if (!isEqual(Buffer.from(secret.data?.['token'] ?? '', 'base64'), Buffer.from(token))) {
      return { rejected: "Token does not match server's copy" }
    }
    const account = await objects!.getServiceAccount(namespace, name)
    if (account === undefined) return { rejected: `serviceaccounts ${JSON.stringify(name)} not found` }
    if (account.metadata.deletionTimestamp !== undefined) return { rejected: `ServiceAccount ${namespace}/${name} has been deleted` }
    if (account.metadata.uid !== uid) {
      return { rejected: `ServiceAccount UID (${account.metadata.uid ?? ''}) does not match claim (${uid})` }
    }
    if (secret.metadata.labels?.[invalidSinceLabel]) {
      notes?.annotate?.('authentication.k8s.io/legacy-token-invalidated', `${claims.secret}/${namespace}`)
      if (metrics !== undefined) metrics.invalidated.value++
      markUsed(secret)
      return { rejected: describeInvalidated(claims) }
    }
    if (account.secrets?.some((reference) => reference.name === claims.secret) === true) {
      notes?.warn(
        'Use tokens from the TokenRequest API or manually created secret-based tokens instead of auto-generated secret-based tokens.',
      )
      notes?.annotate?.('authentication.k8s.io/legacy-token-autogenerated-secret', claims.secret)
      if (metrics !== undefined) metrics.autoGenerated.value++
    } else {
      notes?.annotate?.('authentication.k8s.io/legacy-token-manual-secret', claims.secret)
      if (metrics !== undefined) metrics.manuallyCreated.value++
    }
    markUsed(secret)
    return undefined
  }

  async function authenticateFor(
    token: string,
    requestedAudiences: readonly string[],
    notes?: RequestNotes,
  ): Promise<TokenForAudiences | RejectedToken | undefined> {
    const verified = await verifier.verify(token, issuers)
    if (verified === undefined || isRejectedToken(verified)) return verified
    const { sub } = verified.payload
    const aud = readAudiences(verified.payload)
    if (aud === undefined) return { rejected: 'aud claim is invalid' }
    const audiences = getAudiences({ aud, sub: typeof sub === 'string' ? sub : '' }, { serverAudiences: options.audiences, notes, metrics })
    const common = audiences.filter((audience) => requestedAudiences.includes(audience))
    if (common.length === 0) return rejectAudience(audiences, requestedAudiences)
    const claims = readClaims(verified.payload)
    if (isRejectedToken(claims)) return claims
    const problem = objects && (await findProblem(token, claims, notes))
    if (problem !== undefined) return problem
    const { namespace, name, uid } = claims
    const user = { name: formatServiceAccountUserName(namespace, name), uid, groups: listServiceAccountGroups(namespace), extra: {} }
    return { user, audiences: common }
  }

  return createAudienceAuthenticator(options.audiences, authenticateFor)
}

function readClaims(payload: VerifiedPayload): LegacyClaims | RejectedToken {
  const claim = (name: string): string => {
    const value = payload[name]
    return typeof value === 'string' ? value : ''
  }
  const subject = claim('sub')
  const namespace = claim(`${prefix}namespace`)
  const secret = claim(`${prefix}secret.name`)
  const name = claim(`${prefix}service-account.name`)
  const uid = claim(`${prefix}service-account.uid`)
  const required = { sub: subject, namespace, secretName: secret, serviceAccountName: name, serviceAccountUID: uid }
  for (const [key, value] of Object.entries(required)) if (value === '') return { rejected: `${key} claim is missing` }
  const account = parseServiceAccountUserName(subject)
  if (account?.namespace !== namespace || account.name !== name) return { rejected: 'sub claim is invalid' }
  // Secrets with invalid names must not be looked up.
  return isName(secret) ? { namespace, name, uid, secret } : invalidated
}

function describeInvalidated({ namespace, name, secret }: LegacyClaims): string {
  return (
    `the token in secret ${namespace}/${secret} for service account ${namespace}/${name} has been marked invalid. ` +
    'Use tokens from the TokenRequest API or manually created secret-based tokens, ' +
    `or remove the '${invalidSinceLabel}' label from the secret to temporarily allow use of this token`
  )
}

function isEqual(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b)
}
