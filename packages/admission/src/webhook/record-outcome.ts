import type { AdmissionAttributes } from '../admission.ts'
import type { HookOutcome } from './call-hook.ts'
import type { Hook } from './hook.ts'
import type { WebhookMetrics } from './webhook-metrics.ts'

/** Counts a call. `began` is its start, as returned by `performance.now()`. */
export function recordOutcome(
  metrics: WebhookMetrics,
  hook: Hook,
  { operation }: AdmissionAttributes,
  { outcome, began }: { readonly outcome: HookOutcome; readonly began: number },
): void {
  const seconds = (performance.now() - began) / 1000
  switch (outcome.kind) {
    case 'allowed':
      metrics.recordCall(hook, operation, { rejected: false, code: 200, seconds })
      break
    case 'failed':
      if (hook.ignoresFailures) metrics.countIgnoredFailure(hook)
      else metrics.countRejection(hook, operation, 'calling_webhook_error', outcome.code)
      metrics.recordCall(hook, operation, { rejected: !hook.ignoresFailures, code: outcome.code, seconds })
      break
    case 'rejected':
      metrics.countRejection(hook, operation, 'no_error', outcome.error.code)
      metrics.recordCall(hook, operation, { rejected: true, code: outcome.error.code, seconds })
      break
    case 'refused':
      metrics.countRejection(hook, operation, 'apiserver_internal_error', 0)
      metrics.recordCall(hook, operation, { rejected: true, code: 0, seconds })
  }
}
