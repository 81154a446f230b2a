import { runAfter, getErrorMessage, systemClock } from '@keelson/apimachinery'
import type { JsonObject, RequestedAction } from '@keelson/apimachinery'
import type { KubeconfigWebhook } from '@keelson/outbound'
import { noOpinion } from '../authorizer.ts'
import type { Authorizer, AuthorizerAttributes, Decision } from '../authorizer.ts'
import type { WebhookAuthorizerMetrics } from '../authorization-metrics.ts'
import { buildAccessReview, buildAccessReviewSpec } from './access-review.ts'
import type { ReviewVersion } from './access-review.ts'
import { ExpiringCache } from './expiring-cache.ts'
import { sendReview } from './review-client.ts'
import type { ReviewAttempt } from './review-client.ts'

/** Compiled match conditions. The webhook is only called if they match the spec of the SubjectAccessReview (v1). */
interface MatchConditions {
  matches(spec: JsonObject): MatchVerdict | Promise<MatchVerdict>
}

interface MatchVerdict {
  readonly matches: boolean
  readonly error?: string | undefined
}

export interface WebhookAuthorizerOptions {
  readonly name: string
  readonly webhook: KubeconfigWebhook
  readonly version: ReviewVersion
  /** How long "allowed" decisions of the webhook are cached, in milliseconds. 0 disables caching. */
  readonly authorizedTtlMs: number
  readonly unauthorizedTtlMs: number
  /** The decision if the webhook fails. */
  readonly onError: 'noOpinion' | 'deny'
  readonly matchConditions?: MatchConditions | undefined
  readonly metrics?: WebhookAuthorizerMetrics | undefined
  /** Called with the result of each attempt to reach the webhook. */
  readonly observe?: ((attempt: ReviewAttempt) => void) | undefined
  /** Logs failures of the webhook. */
  readonly log?: ((text: string) => void) | undefined
}

const maxCachedAnswers = 8192
/** Maximum total length of a request's attributes for caching. Clients could otherwise fill the memory. */
const maxCachedLength = 10_000

interface Answer {
  readonly allowed: boolean
  readonly denied: boolean
  readonly reason: string
}

/** Creates an authorizer that sends a SubjectAccessReview to a webhook. Decisions are cached by the whole spec of the review. */
export function createWebhookAuthorizer(options: WebhookAuthorizerOptions): Authorizer {
  const { name, webhook, version, metrics, matchConditions } = options
  const cache = new ExpiringCache<Answer>(maxCachedAnswers, webhook.clock ?? systemClock)
  const toDecision = (error: string): Decision => ({ decision: options.onError, reason: '', error })

  async function review(spec: JsonObject, key: string, action: RequestedAction): Promise<Decision> {
    let outcome = 'error'
    let status: JsonObject
    try {
      status = await sendReview(webhook, buildAccessReview(spec, version), {
        observe: (attempt) => {
          const { error, isTimeout, seconds } = attempt
          outcome = error === undefined ? 'success' : isTimeout ? 'timeout' : 'error'
          metrics?.recordEvaluation(name, outcome, seconds)
          options.observe?.(attempt)
        },
      })
    } catch (error) {
      options.log?.(`Failed to make webhook authorizer request: ${getErrorMessage(error)}`)
      if (options.onError === 'noOpinion') metrics?.countFailOpen(name, outcome)
      return toDecision(getErrorMessage(error))
    }
    const answer = { allowed: status['allowed'] === true, denied: status['denied'] === true, reason: readText(status['reason']) }
    if (measureAttributes(action) < maxCachedLength) {
      cache.set(key, answer, answer.allowed ? options.authorizedTtlMs : options.unauthorizedTtlMs)
    }
    return decide(answer)
  }

  function requestUnlessKnown(spec: JsonObject, action: RequestedAction): Decision | Promise<Decision> {
    const key = JSON.stringify(spec)
    const cached = cache.get(key)
    return cached === undefined ? review(spec, key, action) : decide(cached)
  }

  return {
    authorize: (attributes: AuthorizerAttributes) => {
      const spec = buildAccessReviewSpec(attributes)
      if (matchConditions === undefined) return requestUnlessKnown(spec, attributes.action)
      return runAfter(matchConditions.matches(spec), ({ matches, error }) => {
        if (error !== undefined) return toDecision(error)
        return matches ? requestUnlessKnown(spec, attributes.action) : noOpinion
      })
    },
    rulesFor: () => ({
      resourceRules: [],
      nonResourceRules: [],
      incomplete: true,
      error: 'webhook authorizer does not support user rule resolution',
    }),
  }
}

function decide({ allowed, denied, reason }: Answer): Decision {
  if (!denied) return { decision: allowed ? 'allow' : 'noOpinion', reason }
  if (!allowed) return { decision: 'deny', reason }
  return { decision: 'deny', reason, error: 'webhook subject access review returned both allow and deny response' }
}

function measureAttributes({ namespace, verb, apiGroup, apiVersion, resource, subresource, name, path }: RequestedAction): number {
  return Buffer.byteLength(namespace + verb + apiGroup + apiVersion + resource + subresource + name + path)
}

function readText(value: JsonObject[string] | undefined): string {
  return typeof value === 'string' ? value : ''
}
