import { formatDuration, pause, systemClock } from '@keelson/apimachinery'
import type { Clock } from '@keelson/apimachinery'
import type { Dialer, OutboundClient } from './dialer.ts'
import type { EgressNetwork } from './dial-tls.ts'
import type { KubeconfigClient } from './kubeconfig.ts'
import type { OutboundAnswer } from './outbound-request.ts'

/** A webhook that a kubeconfig names, for reviews (SubjectAccessReview, TokenReview, ImageReview) and audit events. */
export interface KubeconfigWebhook {
  readonly client: Pick<OutboundClient, 'request'>
  /** Returns the HTTP headers with credentials, for each request. */
  readonly headers?: (() => Promise<Readonly<Record<string, string>>>) | undefined
  /** Called after a response with status 401. */
  readonly rejectCredentials?: () => void
  /** Timeout of each attempt in milliseconds. Default 30 s. */
  readonly timeoutMs?: number
  /** Pause before the second attempt in milliseconds. Default 500 ms. */
  readonly retryBackoffMs?: number
  readonly clock?: Clock
}

export interface KubeconfigWebhookOptions extends Pick<KubeconfigWebhook, 'retryBackoffMs' | 'clock'> {
  readonly dialer: Dialer
  readonly timeoutMs?: number | undefined
  /** Network for egress selection. Default: `controlplane`. */
  readonly network?: EgressNetwork
}

/** Number of attempts. The pause between them grows by half each time, plus up to 20% at random. */
const maxAttempts = 5
const defaultBackoffMs = 500
const defaultTimeoutMs = 30_000

/** Opens the webhook that a kubeconfig names. Like client-go, its URL tells the timeout. Disposing it closes its connections. */
export function openKubeconfigWebhook(kubeconfig: KubeconfigClient, options: KubeconfigWebhookOptions): KubeconfigWebhook & Disposable {
  const { dialer, timeoutMs = defaultTimeoutMs, network = 'controlplane', ...rest } = options
  const separator = kubeconfig.url.includes('?') ? '&' : '?'
  const url = `${kubeconfig.url}${separator}timeout=${formatDuration(BigInt(timeoutMs) * 1_000_000n)}`
  const { tls, readCertificate, rejectCredentials } = kubeconfig
  const client = dialer.client({ url, tls, network, readCertificate })
  return {
    ...rest,
    client,
    timeoutMs,
    headers: () => kubeconfig.headers(),
    ...(rejectCredentials && { rejectCredentials }),
    [Symbol.dispose]: () => client[Symbol.dispose](),
  }
}

export interface WebhookPost {
  /** JSON. */
  readonly body: string | Uint8Array
  readonly signal?: AbortSignal | undefined
}

/** Posts JSON to a webhook once, with its credentials. Rejects if the credentials cannot be read. */
export async function postToWebhook(webhook: KubeconfigWebhook, { body, signal }: WebhookPost): Promise<OutboundAnswer> {
  const answer = await webhook.client.request({
    method: 'POST',
    headers: { accept: 'application/json, */*', 'content-type': 'application/json', ...(await webhook.headers?.()) },
    body,
    timeoutMs: webhook.timeoutMs ?? defaultTimeoutMs,
    idempotent: true,
    ...(signal && { signal }),
  })
  if (!answer.failed && answer.status === 401) webhook.rejectCredentials?.()
  return answer
}

export interface WebhookRetries<T> {
  readonly shouldRetry: (result: T) => boolean
  /** Signal that ends the retries. */
  readonly signal?: AbortSignal | undefined
  /** True to keep the process alive between the attempts. Default: false. */
  readonly keepAlive?: boolean
}

/**
 * Calls `attempt` until its result needs no retry, up to five times, with growing pauses. Returns the last result.
 *
 * @example
 * const shouldRetry = (answer) => answer.failed || answer.status >= 500
 * const answer = await retryWebhook(webhook, () => postToWebhook(webhook, { body: '{}' }), { shouldRetry })
 */
export async function retryWebhook<T>(
  { clock = systemClock, retryBackoffMs = defaultBackoffMs }: Pick<KubeconfigWebhook, 'clock' | 'retryBackoffMs'>,
  attempt: () => Promise<T>,
  { shouldRetry, signal, keepAlive = false }: WebhookRetries<T>,
): Promise<T> {
  let delay = retryBackoffMs
  for (let attempts = 1; ; attempts++) {
    const result = await attempt()
    if (attempts === maxAttempts || !shouldRetry(result)) return result
    await pause(clock, delay * (1 + Math.random() * 0.2), { keepAlive, ...(signal && { signal }) })
    if (signal?.aborted === true) return result
    delay *= 1.5
  }
}
