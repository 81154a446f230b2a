import { parseDuration } from '@keelson/apimachinery'
import { decodeConfiguration, defineConfigurationStruct, defineListOfStructs } from '@keelson/apimachinery/configuration'

/** Settings of an authorization webhook, including the decision if it fails. Durations are in milliseconds. */
export interface WebhookConfiguration {
  readonly authorizedTtlMs: number
  readonly cacheAuthorizedRequests: boolean
  readonly unauthorizedTtlMs: number
  readonly cacheUnauthorizedRequests: boolean
  readonly timeoutMs: number
  readonly subjectAccessReviewVersion: string
  readonly matchConditionSubjectAccessReviewVersion: string
  readonly failurePolicy: string
  readonly connectionInfo: { readonly type: string; readonly kubeConfigFile?: string }
  readonly matchConditions: readonly string[]
}

export interface AuthorizerConfiguration {
  readonly type: string
  readonly name: string
  readonly webhook?: WebhookConfiguration
}

/** The content of `--authorization-config`, with defaults. */
export interface AuthorizationConfiguration {
  readonly authorizers: readonly AuthorizerConfiguration[]
}

/** Values of apiVersion that kube-apiserver accepts for this kind. */
const apiVersions = ['apiserver.config.k8s.io/v1', 'apiserver.config.k8s.io/v1beta1', 'apiserver.config.k8s.io/v1alpha1']

const schema = defineConfigurationStruct('AuthorizationConfiguration', {
  authorizers: defineListOfStructs(
    defineConfigurationStruct('AuthorizerConfiguration', {
      type: 'string',
      name: 'string',
      webhook: defineConfigurationStruct('WebhookConfiguration', {
        authorizedTTL: 'duration',
        cacheAuthorizedRequests: 'bool',
        unauthorizedTTL: 'duration',
        cacheUnauthorizedRequests: 'bool',
        timeout: 'duration',
        subjectAccessReviewVersion: 'string',
        matchConditionSubjectAccessReviewVersion: 'string',
        failurePolicy: 'string',
        connectionInfo: defineConfigurationStruct('WebhookConnectionInfo', { type: 'string', kubeConfigFile: 'string' }),
        matchConditions: defineListOfStructs(defineConfigurationStruct('WebhookMatchCondition', { expression: 'string' })),
      }),
    }),
  ),
})

interface FileWebhook {
  readonly authorizedTTL?: string
  readonly cacheAuthorizedRequests?: boolean
  readonly unauthorizedTTL?: string
  readonly cacheUnauthorizedRequests?: boolean
  readonly timeout?: string
  readonly subjectAccessReviewVersion?: string
  readonly matchConditionSubjectAccessReviewVersion?: string
  readonly failurePolicy?: string
  readonly connectionInfo?: { readonly type?: string; readonly kubeConfigFile?: string }
  readonly matchConditions?: readonly { readonly expression?: string }[]
}

interface FileConfiguration {
  readonly authorizers?: readonly { readonly type?: string; readonly name?: string; readonly webhook?: FileWebhook }[]
}

/**
 * Decodes an AuthorizationConfiguration strictly and sets defaults. Empty text gives a configuration without authorizers. Throws an error
 * with kube-apiserver's message.
 */
export function parseAuthorizationConfiguration(text: string): AuthorizationConfiguration {
  const file: FileConfiguration = text === '' ? {} : decodeConfiguration(text, { schema, apiVersions })
  return {
    authorizers: (file.authorizers ?? []).map(({ type = '', name = '', webhook }) =>
      webhook === undefined ? { type, name } : { type, name, webhook: withDefaults(webhook) },
    ),
  }
}

function withDefaults(webhook: FileWebhook): WebhookConfiguration {
  const { connectionInfo = {} } = webhook
  return {
    authorizedTtlMs: parseMilliseconds(webhook.authorizedTTL) || 300_000,
    cacheAuthorizedRequests: webhook.cacheAuthorizedRequests ?? true,
    unauthorizedTtlMs: parseMilliseconds(webhook.unauthorizedTTL) || 30_000,
    cacheUnauthorizedRequests: webhook.cacheUnauthorizedRequests ?? true,
    timeoutMs: parseMilliseconds(webhook.timeout),
    subjectAccessReviewVersion: webhook.subjectAccessReviewVersion ?? '',
    matchConditionSubjectAccessReviewVersion: webhook.matchConditionSubjectAccessReviewVersion ?? '',
    failurePolicy: webhook.failurePolicy ?? '',
    connectionInfo: {
      type: connectionInfo.type ?? '',
      ...(connectionInfo.kubeConfigFile !== undefined && { kubeConfigFile: connectionInfo.kubeConfigFile }),
    },
    matchConditions: (webhook.matchConditions ?? []).map(({ expression = '' }) => expression),
  }
}

function parseMilliseconds(duration: string | undefined): number {
  return duration === undefined ? 0 : Number(parseDuration(duration)) / 1e6
}
