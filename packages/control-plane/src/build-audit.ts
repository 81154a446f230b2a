import { readFile } from 'node:fs/promises'
import type * as audit from '@keelson/audit'
import type { AuditBackend, Auditor, LineWriter, ReportLoss } from '@keelson/audit'
import { getErrorMessage, quote } from '@keelson/apimachinery'
import type { MetricsRegistry } from '@keelson/apimachinery/metrics'
import { openKubeconfigWebhook, readKubeconfig } from '@keelson/outbound'
import type { Dialer } from '@keelson/outbound'
import type { RequestTracer } from '@keelson/tracing'
import type { LoggedOptions } from './chain.ts'
import { ConfigurationError } from './configuration-error.ts'
import { auditDefaults } from './options/audit.ts'
import type { AuditBatchOptions, AuditLogOptions, AuditTruncationOptions, AuditWebhookOptions } from './options/audit.ts'

/** The package is loaded only by servers with an audit log. */
type AuditLibrary = typeof audit

interface AuditServices {
  readonly metrics: MetricsRegistry
  readonly dialer: Dialer
  /** Starts a step for the log of slow requests. */
  readonly tracer: Pick<RequestTracer, 'startStep'>
}

interface BackendServices extends AuditServices {
  readonly library: AuditLibrary
  readonly report: ReportLoss
  readonly log: (text: string) => void
}

/**
 * Builds the audit log. Returns undefined if no policy or no backend is configured. Throws `ConfigurationError` if the policy is invalid, or if
 * a file cannot be used.
 */
export async function buildAudit(options: LoggedOptions, services: AuditServices): Promise<Auditor | undefined> {
  const { policyFile, log: logOptions, webhook } = options.audit ?? {}
  if (logOptions === undefined && webhook === undefined) return undefined
  if (policyFile === undefined) {
    for (const name of [logOptions && 'log', webhook && 'webhook'].filter(Boolean)) {
      options.log(2, `No audit policy file provided, no events will be recorded for ${name} backend`)
    }
    return undefined
  }
  const library = await import('@keelson/audit')
  const { policy, warning } = await readPolicy(library, policyFile)
  if (warning !== undefined) options.log(0, `Audit policy contains errors, falling back to lenient decoding: ${warning}`)
  const metrics = library.createAuditMetrics(services.metrics)
  const log = (text: string): void => options.log(0, text)
  const backendServices: BackendServices = { ...services, library, log, report: library.createLossReport(metrics, log) }
  const backends: AuditBackend[] = []
  if (logOptions !== undefined) backends.push(await buildLog(logOptions, backendServices))
  if (webhook !== undefined) backends.push(await buildWebhook(webhook, backendServices))
  return library.createAuditor({
    evaluate: library.compilePolicy(policy),
    backend: library.createUnionBackend(backends),
    metrics,
    ...(options.clock && { clock: options.clock }),
    isStrict: [logOptions?.mode, webhook?.mode].includes('blocking-strict'),
  })
}

async function readPolicy(library: AuditLibrary, file: string): Promise<ReturnType<AuditLibrary['parseAuditPolicy']>> {
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    throw new ConfigurationError(`loading audit policy file: failed to read file path ${quote(file)}: ${getErrorMessage(error)}`, {
      cause: error,
    })
  }
  try {
    return library.parseAuditPolicy(text)
  } catch (error) {
    throw new ConfigurationError(`loading audit policy file: ${getErrorMessage(error)}: from file ${file}`, { cause: error })
  }
}

async function buildLog(options: AuditLogOptions, { library, report, log }: BackendServices): Promise<AuditBackend> {
  const { path, format, mode, maxSizeMegabytes, maxBackups, maxAgeDays, isCompressed, truncation } = { ...auditDefaults.log, ...options }
  const writer =
    path === '-'
      ? createStdoutWriter()
      : await openFile(() =>
          library.openLogFile({
            path,
            maxBytes: maxSizeMegabytes * 2 ** 20,
            maxBackups,
            maxAgeDays,
            isCompressed,
            onProblem: (error) => log(`Unable to remove or compress old audit logs: ${error.message}`),
          }),
        )
  const { bufferSize } = { ...auditDefaults.log.batch, ...options.batch }
  return truncate(library.createLogBackend({ writer, mode, format, bufferSize, report }), truncation, { library, report })
}

async function openFile(open: () => Promise<LineWriter>): Promise<LineWriter> {
  try {
    return await open()
  } catch (error) {
    throw new ConfigurationError(`ensureLogFile: ${getErrorMessage(error)}`, { cause: error })
  }
}

/** Returns a writer that passes lines to the standard output. Waits until the reader has taken them. */
function createStdoutWriter(): LineWriter {
  return {
    write: (bytes, ends) =>
      new Promise((resolve) => {
        process.stdout.write(bytes, (error) => {
          resolve(new Map(error ? ends.map((_end, i) => [i, error]) : []))
        })
      }),
    close: () => Promise.resolve(),
  }
}

async function buildWebhook(options: AuditWebhookOptions, { library, report, dialer, tracer }: BackendServices): Promise<AuditBackend> {
  const { kubeconfigFile, mode, initialBackoffMs, truncation } = { ...auditDefaults.webhook, ...options }
  const kubeconfig = await readKubeconfig(kubeconfigFile).catch((error: unknown) => {
    throw new ConfigurationError(`initializing audit webhook: ${getErrorMessage(error)}`, { cause: error })
  })
  const backend = library.createWebhookBackend({
    webhook: openKubeconfigWebhook(kubeconfig, { dialer, retryBackoffMs: initialBackoffMs }),
    mode,
    batch: resolveBatch(options.batch),
    maxBatchBytes: truncation?.maxBatchSize,
    report,
    startStep: (name, attributes) => tracer.startStep(name, attributes),
  })
  return truncate(backend, truncation, { library, report })
}

function resolveBatch(options: AuditBatchOptions = {}): Parameters<AuditLibrary['createWebhookBackend']>[0]['batch'] {
  const { bufferSize, maxSize, maxWaitMs, throttle } = { ...auditDefaults.webhook.batch, ...options }
  return { bufferSize, maxBatchSize: maxSize, maxBatchWaitMs: maxWaitMs, throttle: throttle === false ? undefined : throttle }
}

function truncate(
  backend: AuditBackend,
  limits: AuditTruncationOptions | undefined,
  { library, report }: Pick<BackendServices, 'library' | 'report'>,
): AuditBackend {
  return limits === undefined ? backend : library.createTruncatingBackend(backend, limits, report)
}
