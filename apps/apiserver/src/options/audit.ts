import { auditDefaults } from '@keelson/control-plane'
import type { ServerChainOptions } from '@keelson/control-plane'
import {
  createChoiceType,
  createDurationType,
  createFileType,
  createIntegerType,
  createNumberType,
  createTextType,
  onOff,
} from '../flag-types.ts'
import type { FlagValuesOf } from '../flag-types.ts'
import type { Problems } from '../start-error.ts'
import { checkFlagFile } from './flag-files.ts'

const group = 'Audit'
const modeHelp =
  'batch: requests go on at once. blocking: responses wait until their events are stored. blocking-strict: requests whose arrival cannot be stored fail.'

/** Creates the flags that both backends have. */
function createBackendFlags<const Name extends 'log' | 'webhook'>(name: Name) {
  const { mode, batch } = auditDefaults[name]
  const { qps, burst } = batch.throttle === false ? { qps: 0, burst: 0 } : batch.throttle
  const { truncation } = auditDefaults
  const flags = {
    mode: { group, type: createChoiceType('batch', 'blocking', 'blocking-strict'), default: mode, help: modeHelp },
    'batch-buffer-size': {
      group,
      type: createIntegerType(),
      default: batch.bufferSize,
      help: 'Maximum number of waiting events in mode batch. More are dropped.',
    },
    'batch-max-size': { group, type: createIntegerType(), default: batch.maxSize, help: 'Maximum number of events in a batch.' },
    'batch-max-wait': {
      group,
      type: createDurationType(),
      default: batch.maxWaitMs,
      help: 'Time after which a batch is sent although it is not full.',
    },
    'batch-throttle-enable': { group, type: onOff(), default: batch.throttle !== false, help: 'Limit the rate of batches.' },
    'batch-throttle-qps': { group, type: createNumberType(), default: qps, help: 'Average number of batches in a second.' },
    'batch-throttle-burst': {
      group,
      type: createIntegerType(),
      default: burst,
      help: 'Number of batches that may be sent at once after a pause.',
    },
    'truncate-enabled': { group, type: onOff(), default: false, help: 'Remove the objects of large events.' },
    'truncate-max-batch-size': {
      group,
      type: createIntegerType(),
      default: truncation.maxBatchSize,
      help: 'Maximum size of a batch in bytes.',
    },
    'truncate-max-event-size': {
      group,
      type: createIntegerType(),
      default: truncation.maxEventSize,
      help: 'Size in bytes of events whose objects are removed. Events that are larger without objects are dropped.',
    },
  } as const
  return Object.fromEntries(Object.entries(flags).map(([flag, definition]) => [`audit-${name}-${flag}`, definition])) as {
    readonly [K in keyof typeof flags as `audit-${Name}-${K}`]: (typeof flags)[K]
  }
}

const versionType = createChoiceType('audit.k8s.io/v1')
const { log: logDefaults, webhook: webhookDefaults } = auditDefaults

/** Flags of the audit log. Names and defaults are the same as in kube-apiserver. */
export const auditFlags = {
  'audit-policy-file': { group, type: createFileType(), help: 'Audit policy. Without it, requests are not recorded.' },
  'audit-log-path': { group, type: createTextType(), help: 'File of the audit log. - means the standard output. Default: none.' },
  'audit-log-format': {
    group,
    type: createChoiceType('json', 'legacy'),
    default: logDefaults.format,
    help: 'One JSON object or one line of text for each event.',
  },
  'audit-log-version': { group, type: versionType, default: 'audit.k8s.io/v1', help: 'API version of the events in the log.' },
  'audit-log-maxsize': {
    group,
    type: createIntegerType(),
    default: logDefaults.maxSizeMegabytes,
    help: 'Size in megabytes at which the file is rotated. 0: never.',
  },
  'audit-log-maxbackup': {
    group,
    type: createIntegerType(),
    default: logDefaults.maxBackups,
    help: 'Maximum number of rotated files. 0: no limit.',
  },
  'audit-log-maxage': {
    group,
    type: createIntegerType(),
    default: logDefaults.maxAgeDays,
    help: 'Days after which rotated files are removed. 0: never.',
  },
  'audit-log-compress': { group, type: onOff(), default: logDefaults.isCompressed, help: 'Compress rotated files with gzip.' },
  ...createBackendFlags('log'),
  'audit-webhook-config-file': {
    group,
    type: createFileType(),
    help: 'Kubeconfig with the address and the credentials of the audit webhook.',
  },
  'audit-webhook-version': { group, type: versionType, default: 'audit.k8s.io/v1', help: 'API version of the events for the webhook.' },
  'audit-webhook-initial-backoff': {
    group,
    type: createDurationType(),
    default: webhookDefaults.initialBackoffMs,
    help: 'Pause before events are sent again after an error.',
  },
  'audit-webhook-batch-initial-backoff': { group, type: createDurationType(), help: 'Deprecated name of --audit-webhook-initial-backoff.' },
  ...createBackendFlags('webhook'),
} as const

type Values = FlagValuesOf<typeof auditFlags>
type Audit = NonNullable<ServerChainOptions['audit']>

export async function readAuditOptions(values: Values, problems: Problems): Promise<Audit> {
  const policyFile = await checkFlagFile('audit-policy-file', values['audit-policy-file'], problems)
  const kubeconfigFile = await checkFlagFile('audit-webhook-config-file', values['audit-webhook-config-file'], problems)
  const path = values['audit-log-path']
  return {
    ...(policyFile !== undefined && { policyFile }),
    ...(path && {
      log: {
        path,
        format: values['audit-log-format'],
        mode: values['audit-log-mode'],
        maxSizeMegabytes: values['audit-log-maxsize'],
        maxBackups: values['audit-log-maxbackup'],
        maxAgeDays: values['audit-log-maxage'],
        isCompressed: values['audit-log-compress'],
        ...readBackend(values, 'log', problems),
      },
    }),
    ...(kubeconfigFile !== undefined && {
      webhook: {
        kubeconfigFile,
        mode: values['audit-webhook-mode'],
        initialBackoffMs: values['audit-webhook-batch-initial-backoff'] ?? values['audit-webhook-initial-backoff'],
        ...readBackend(values, 'webhook', problems),
      },
    }),
  }
}

/** Reads the batches and the truncation of a backend. The messages are kube-apiserver's. */
function readBackend(values: Values, name: 'log' | 'webhook', problems: Problems): Pick<NonNullable<Audit['log']>, 'batch' | 'truncation'> {
  const bufferSize = values[`audit-${name}-batch-buffer-size`]
  const maxSize = values[`audit-${name}-batch-max-size`]
  const isThrottled = values[`audit-${name}-batch-throttle-enable`]
  const qps = values[`audit-${name}-batch-throttle-qps`]
  const burst = values[`audit-${name}-batch-throttle-burst`]
  const requirePositive = (value: number, subject: string): void => {
    if (value <= 0) problems.usage(`invalid audit ${subject} ${value}, must be a positive number`)
  }
  if (values[`audit-${name}-mode`] === 'batch') {
    requirePositive(bufferSize, `batch ${name} buffer size`)
    requirePositive(maxSize, `batch ${name} max batch size`)
    if (isThrottled) {
      requirePositive(qps, `batch ${name} throttle QPS`)
      requirePositive(burst, `batch ${name} throttle burst`)
    }
  }
  const maxEventSize = values[`audit-${name}-truncate-max-event-size`]
  const maxBatchSize = values[`audit-${name}-truncate-max-batch-size`]
  requirePositive(maxEventSize, `truncate ${name} max event size`)
  if (maxBatchSize < maxEventSize) {
    problems.usage(`invalid audit truncate ${name} max batch size ${maxBatchSize}, must be greater than max event size (${maxEventSize})`)
  }
  return {
    batch: { bufferSize, maxSize, maxWaitMs: values[`audit-${name}-batch-max-wait`], throttle: isThrottled && { qps, burst } },
    ...(values[`audit-${name}-truncate-enabled`] && { truncation: { maxEventSize, maxBatchSize } }),
  }
}
