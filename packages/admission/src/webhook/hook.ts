import type { MutatingWebhook, ValidatingWebhook } from '@keelson/api/admissionregistration/v1'
import type { DeepReadonly } from '@keelson/apimachinery'
import type { MatchConditionMetrics } from '../matching/match-condition-metrics.ts'
import { MatchConditions } from '../matching/match-conditions.ts'
import { MatchCriteria } from '../matching/match-criteria.ts'
import { selectReviewVersion } from './admission-review.ts'
import type { ReviewVersion } from './admission-review.ts'
import type { HookClient, HookClients } from './hook-clients.ts'

/** The kind of a webhook. */
export type HookType = 'mutating' | 'validating'

/** A webhook of a configuration, compiled. */
export interface Hook {
  readonly name: string
  /** Name of the configuration that contains the webhook. */
  readonly configuration: string
  /** Identifier within all webhooks of its type. It stays the same when other configurations change. */
  readonly id: string
  readonly type: HookType
  readonly criteria: MatchCriteria
  readonly conditions: MatchConditions
  /** Whether a write continues if the webhook cannot be called. */
  readonly ignoresFailures: boolean
  readonly timeoutMs: number
  /** Whether a dry run may call the webhook. Undefined if its configuration does not say it. */
  readonly allowsDryRun: boolean | undefined
  /** Undefined if this server speaks none of the webhook's versions. */
  readonly reviewVersion: ReviewVersion | undefined
  readonly isReinvocable: boolean
  readonly client: HookClient
}

export interface HookDependencies {
  readonly type: HookType
  readonly clients: HookClients
  readonly metrics: MatchConditionMetrics
}

/** The timeout of a webhook whose configuration has none. It is that of client-go's requests to webhooks. */
const defaultTimeoutMs = 30_000

export function createHook(
  configuration: string,
  webhook: DeepReadonly<MutatingWebhook | ValidatingWebhook>,
  id: string,
  { type, clients, metrics }: HookDependencies,
): Hook {
  const { name, rules = [], matchPolicy, namespaceSelector, objectSelector, matchConditions = [], failurePolicy, sideEffects } = webhook
  return {
    name,
    configuration,
    id,
    type,
    criteria: new MatchCriteria({ rules, matchPolicy, namespaceSelector, objectSelector }),
    conditions: new MatchConditions({
      name,
      kind: 'webhook',
      type: type === 'mutating' ? 'admit' : 'validate',
      conditions: matchConditions,
      failurePolicy,
      hasParams: false,
      metrics,
    }),
    ignoresFailures: failurePolicy === 'Ignore',
    timeoutMs: webhook.timeoutSeconds === undefined ? defaultTimeoutMs : webhook.timeoutSeconds * 1000,
    allowsDryRun: sideEffects === undefined ? undefined : sideEffects === 'None' || sideEffects === 'NoneOnDryRun',
    reviewVersion: selectReviewVersion(webhook.admissionReviewVersions ?? []),
    isReinvocable: 'reinvocationPolicy' in webhook && webhook.reinvocationPolicy === 'IfNeeded',
    client: clients.client(webhook.clientConfig),
  }
}
