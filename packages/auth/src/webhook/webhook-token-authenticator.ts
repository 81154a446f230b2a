import { isJsonObject, getErrorMessage } from '@keelson/apimachinery'
import type { JsonObject, JsonValue, UserInfo } from '@keelson/apimachinery'
import type { KubeconfigWebhook } from '@keelson/outbound'
import { isRejectedToken } from '../token-authenticator.ts'
import type { RejectedToken, TokenAuthenticator, TokenForAudiences } from '../token-authenticator.ts'
import type { ReviewVersion } from './access-review.ts'
import { sendReview } from './review-client.ts'
import type { ReviewAttempt } from './review-client.ts'

export interface WebhookTokenOptions {
  readonly webhook: KubeconfigWebhook
  readonly version: ReviewVersion
  /** The audiences of this server. They are used if the webhook's response has no audiences. */
  readonly audiences: readonly string[]
  /** Called with the result of each attempt to reach the webhook. */
  readonly observe?: ((attempt: ReviewAttempt) => void) | undefined
  /** Logs failures of the webhook. */
  readonly log?: ((text: string) => void) | undefined
}

/** Creates an authenticator that sends a TokenReview to a webhook. It does not cache; wrap it with `createCachedTokens` for that. */
export function createWebhookTokenAuthenticator({
  webhook,
  version,
  audiences: ownAudiences,
  observe,
  log,
}: WebhookTokenOptions): TokenAuthenticator {
  async function review(token: string, audiences: readonly string[]): Promise<TokenForAudiences | RejectedToken | undefined> {
    const spec = { token, ...(audiences.length > 0 && { audiences: [...audiences] }) }
    let status: JsonObject
    try {
      const request = { kind: 'TokenReview', apiVersion: `authentication.k8s.io/${version}`, metadata: {}, spec, status: { user: {} } }
      status = await sendReview(webhook, request, { observe })
    } catch (error) {
      log?.(`Failed to make webhook authenticator request: ${getErrorMessage(error)}`)
      return { rejected: getErrorMessage(error) }
    }
    const reviewedAudiences = readTexts(status['audiences'])
    const tokenAudiences = reviewedAudiences.length > 0 ? reviewedAudiences : ownAudiences
    const common = audiences.filter((audience) => tokenAudiences.includes(audience))
    if (audiences.length > 0 && common.length === 0) return undefined
    if (status['authenticated'] === true) return { user: readUser(status['user']), audiences: common }
    const { error } = status
    return typeof error === 'string' && error !== '' ? { rejected: error } : undefined
  }
  return {
    authenticateToken: async (token) => {
      const result = await review(token, ownAudiences)
      return result === undefined || isRejectedToken(result) ? result : result.user
    },
    authenticateFor: review,
  }
}

function readUser(value: JsonValue | undefined): UserInfo {
  const { username, uid, groups, extra } = isJsonObject(value) ? value : {}
  return {
    name: typeof username === 'string' ? username : '',
    groups: readTexts(groups),
    ...(typeof uid === 'string' && uid !== '' && { uid }),
    ...(isJsonObject(extra) && { extra: Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, readTexts(values)])) }),
  }
}

function readTexts(value: JsonValue | undefined): string[] {
  return Array.isArray(value) ? value.filter((text) => typeof text === 'string') : []
}
