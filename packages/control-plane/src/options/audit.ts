import type { AuditLogFormat, AuditMode } from '@keelson/audit'
import { isBoolean, isNumber, isObjectOf, isOneOf, isString, requireOption } from '@keelson/apimachinery'
import type { OptionTable, TokenRate } from '@keelson/apimachinery'

/** The batches of a backend in mode `batch`. */
export interface AuditBatchOptions {
  /** Maximum number of waiting events. More are dropped. */
  readonly bufferSize?: number
  /** Maximum number of events in a batch. */
  readonly maxSize?: number
  /** Time after which a batch is sent although it is not full, in milliseconds. */
  readonly maxWaitMs?: number
  /** Limits the rate of batches. */
  readonly throttle?: TokenRate | false
}

/** Limits of the size of events, in bytes. */
export interface AuditTruncationOptions {
  readonly maxEventSize: number
  readonly maxBatchSize: number
}

export interface AuditLogOptions {
  /** Path of the log, or `-` for the standard output. */
  readonly path: string
  readonly format?: AuditLogFormat
  readonly mode?: AuditMode
  readonly batch?: AuditBatchOptions
  /** Truncates large events. Default: they are written whole. */
  readonly truncation?: AuditTruncationOptions | undefined
  /** Size in megabytes at which the file is rotated. 0: never. Default: 100. */
  readonly maxSizeMegabytes?: number
  /** Maximum number of rotated files. 0: no limit. Default: 100. */
  readonly maxBackups?: number
  /** Age in days after which rotated files are removed. 0: never. Default: 366. */
  readonly maxAgeDays?: number
  /** Compresses rotated files with gzip. Default: false. */
  readonly isCompressed?: boolean
}

export interface AuditWebhookOptions {
  /** Kubeconfig with the address and the credentials of the webhook. */
  readonly kubeconfigFile: string
  readonly mode?: AuditMode
  readonly batch?: AuditBatchOptions
  readonly truncation?: AuditTruncationOptions | undefined
  /** Pause before the second attempt to send events, in milliseconds. Default: 10 s. */
  readonly initialBackoffMs?: number
}

/** The audit log. */
export interface AuditOptions {
  /** Path of an audit policy. Without it, nothing is recorded. */
  readonly policyFile?: string
  readonly log?: AuditLogOptions
  readonly webhook?: AuditWebhookOptions
}

/** kube-apiserver's defaults. */
export const auditDefaults = {
  log: {
    format: 'json',
    mode: 'blocking',
    batch: { bufferSize: 10_000, maxSize: 1, maxWaitMs: 0, throttle: false },
    maxSizeMegabytes: 100,
    maxBackups: 100,
    maxAgeDays: 366,
    isCompressed: false,
  },
  webhook: {
    mode: 'batch',
    batch: { bufferSize: 10_000, maxSize: 400, maxWaitMs: 30_000, throttle: { qps: 10, burst: 15 } },
    initialBackoffMs: 10_000,
  },
  truncation: { maxEventSize: 102_400, maxBatchSize: 10_485_760 },
} as const

const count = isNumber({ integer: true })
const batchChecks: OptionTable<AuditBatchOptions> = {
  bufferSize: count,
  maxSize: count,
  maxWaitMs: isNumber(),
  throttle: (value, path) => (value === false ? [] : throttleCheck(value, path)),
}
const throttleCheck = isObjectOf<TokenRate>({
  qps: requireOption(isNumber()),
  burst: requireOption(count),
})
const truncationCheck = isObjectOf<AuditTruncationOptions>({ maxEventSize: requireOption(count), maxBatchSize: requireOption(count) })
const mode = isOneOf('batch', 'blocking', 'blocking-strict')

export const auditChecks: OptionTable<AuditOptions> = {
  policyFile: isString,
  log: isObjectOf<AuditLogOptions>({
    path: requireOption(isString),
    format: isOneOf('legacy', 'json'),
    mode,
    batch: isObjectOf<AuditBatchOptions>(batchChecks),
    truncation: truncationCheck,
    maxSizeMegabytes: count,
    maxBackups: count,
    maxAgeDays: count,
    isCompressed: isBoolean,
  }),
  webhook: isObjectOf<AuditWebhookOptions>({
    kubeconfigFile: requireOption(isString),
    mode,
    batch: isObjectOf<AuditBatchOptions>(batchChecks),
    truncation: truncationCheck,
    initialBackoffMs: isNumber(),
  }),
}
