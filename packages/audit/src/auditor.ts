import { systemClock } from '@keelson/apimachinery'
import type { Clock } from '@keelson/apimachinery'
import type { MetricsRegistry } from '@keelson/apimachinery/metrics'
import { createCounter, memoize } from '@keelson/apimachinery/metrics'
import type { Exchange } from '@keelson/exchange'
import type { AuditBackend, ReportLoss } from './backends/backend.ts'
import type { AuditEvent } from './events/audit-event.ts'
import { auditLevels } from './policy/policy.ts'
import type { AuditLevel } from './policy/policy.ts'
import type { EvaluatePolicy } from './policy/evaluate-policy.ts'
import { AuditRecord } from './audit-record.ts'

/** Metrics of the audit log, with kube-apiserver's names. */
export interface AuditMetrics {
  readonly countEvent: () => void
  readonly countLevel: (level: AuditLevel) => void
  readonly countRejection: () => void
  readonly countLoss: (plugin: string, count: number) => void
}

export function createAuditMetrics(registry: MetricsRegistry): AuditMetrics {
  const register = (name: string, help: string): ReturnType<typeof createCounter> =>
    registry.register(createCounter(`apiserver_audit_${name}`, `[ALPHA] ${help}`))
  const events = register('event_total', 'Number of audit events that were passed to the audit backend.').with({})
  const errors = register('error_total', 'Number of audit events that could not be stored or sent, by backend.')
  const levels = register('level_total', 'Number of requests by the level that the audit policy requires.')
  const rejected = register(
    'requests_rejected_total',
    'Number of requests that failed because their audit event could not be stored.',
  ).with({})
  const byLevel = Object.fromEntries(auditLevels.map((level) => [level, memoize(() => levels.with({ level }))])) as Record<
    AuditLevel,
    () => { value: number }
  >
  return {
    countEvent: () => events.value++,
    countLevel: (level) => byLevel[level]().value++,
    countRejection: () => rejected.value++,
    countLoss: (plugin, count) => (errors.with({ plugin }).value += count),
  }
}

/** Maximum number of lost events that one message in the log contains. */
const maxLogged = 10

/** Returns the function by which backends report lost events. Counts the events and writes them to the server's log. */
export function createLossReport(metrics: AuditMetrics, log: (text: string) => void): ReportLoss {
  return (plugin, error, lost) => {
    const { count } = lost
    metrics.countLoss(plugin, count)
    const lines = Array.from({ length: Math.min(count, maxLogged) }, (_, i) => lost.describe(i))
    const additionalLost = count - lines.length
    log(
      [
        `Error in audit plugin '${plugin}' affecting ${count} audit events: ${error.message}`,
        'Impacted events:',
        ...lines,
        ...(additionalLost > 0 ? [`and ${additionalLost} more`] : []),
      ].join('\n'),
    )
  }
}

export interface AuditorOptions {
  readonly evaluate: EvaluatePolicy
  readonly backend: AuditBackend
  readonly metrics: AuditMetrics
  /** Whether a request fails if its arrival cannot be stored. */
  readonly isStrict: boolean
  readonly clock?: Pick<Clock, 'now'>
}

/** Records the requests of a server as the policy requires. */
export interface Auditor {
  /** Opens the record of a request. Annotations are collected from then on; the policy is applied when the user is known. */
  open(exchange: Exchange): void
  /** Stores all events, and closes the backend. */
  close(): Promise<void>
}

export function createAuditor(options: AuditorOptions): Auditor {
  const { backend, metrics, clock = systemClock } = options
  const measureClockOffset = createOffsetMeter(clock)
  const record = (event: AuditEvent): Promise<boolean> | undefined => {
    metrics.countEvent()
    return backend.process(event)
  }
  const services = { ...options, record, measureClockOffset }
  return {
    open: (exchange) => exchange.setAudit(new AuditRecord(exchange, services)),
    close: () => backend.close(),
  }
}

/** Returns a function that measures the offset of the clock to `performance.now()`, at most once a second. */
function createOffsetMeter(clock: Pick<Clock, 'now'>): () => number {
  let offset = 0
  let measured = Number.NEGATIVE_INFINITY
  return () => {
    const now = performance.now()
    if (now - measured > 1000) {
      measured = now
      offset = clock.now() - now
    }
    return offset
  }
}
