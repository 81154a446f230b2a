import { createCounter, createHistogram } from '@keelson/apimachinery/metrics'
import type { MetricsRegistry } from '@keelson/apimachinery/metrics'
import type { AdmissionOperation } from '../admission.ts'
import type { Hook } from './hook.ts'

/** The reason for which a write was not admitted because of a webhook. */
export type RejectionType = 'calling_webhook_error' | 'apiserver_internal_error' | 'no_error'

/** Metrics of calls of webhooks, with kube-apiserver's names. */
export interface WebhookMetrics {
  recordCall(
    hook: Hook,
    operation: AdmissionOperation,
    call: { readonly rejected: boolean; readonly code: number; readonly seconds: number },
  ): void
  countRejection(hook: Hook, operation: AdmissionOperation, type: RejectionType, code: number): void
  countIgnoredFailure(hook: Hook): void
}

const created = new WeakMap<MetricsRegistry, WebhookMetrics>()

/** Returns the metrics of a registry. Both plugins share them. */
export function getWebhookMetrics(registry: MetricsRegistry): WebhookMetrics {
  const existing = created.get(registry)
  if (existing !== undefined) return existing
  const registerCounter = (name: string, help: string): ReturnType<typeof createCounter> =>
    registry.register(createCounter(`apiserver_admission_webhook_${name}`, `[ALPHA] ${help}`))
  const durations = registry.register(
    createHistogram(
      'apiserver_admission_webhook_admission_duration_seconds',
      '[STABLE] How long calls of an admission webhook took, by its name, type (validating or admit) and operation.',
      [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 25],
    ),
  )
  const rejections = registerCounter(
    'rejection_count',
    'Writes that were not admitted because of a webhook, by the type of the error and the HTTP status.',
  )
  const failOpen = registerCounter('fail_open_count', 'Failed calls of webhooks whose failures are ignored.')
  const requests = registerCounter('request_total', 'Calls of webhooks, by the HTTP status and whether the write was rejected.')
  const metrics: WebhookMetrics = {
    recordCall(hook, operation, { rejected, code, seconds }) {
      const labels = { name: hook.name, type: getHookType(hook), operation }
      requests.with({ ...labels, code: formatBoundedCode(code), rejected: String(rejected) }).value++
      durations.with({ ...labels, rejected: String(rejected) }).observe(seconds)
    },
    countRejection: (hook, operation, error_type, code) =>
      void rejections.with({ name: hook.name, type: getHookType(hook), operation, error_type, rejection_code: formatBoundedCode(code) })
        .value++,
    countIgnoredFailure: (hook) => void failOpen.with({ name: hook.name, type: getHookType(hook) }).value++,
  }
  created.set(registry, metrics)
  return metrics
}

function getHookType({ type }: Hook): string {
  return type === 'mutating' ? 'admit' : 'validating'
}

/** Returns a code as a label. Codes above 600 are one label, so that a webhook cannot create any number of series. */
function formatBoundedCode(code: number): string {
  return String(Math.min(code, 600))
}
