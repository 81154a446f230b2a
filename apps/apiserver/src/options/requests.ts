import { requestDefaults } from '@keelson/control-plane'
import type { ServerChainOptions } from '@keelson/control-plane'
import { duration, whole } from '../flag-types.ts'
import type { FlagValuesOf } from '../flag-types.ts'
import type { Problems } from '../start-error.ts'

const group = 'Requests'

/** The flags of limits and timeouts. Names and defaults are kube-apiserver's where it has the flag. */
export const requestFlags = {
  'max-requests-inflight': {
    group,
    type: whole(),
    default: requestDefaults.maxReadOnlyInFlight,
    help: 'Limit of concurrent reads. Further reads are refused with 429. 0 means no limit.',
  },
  'max-mutating-requests-inflight': {
    group,
    type: whole(),
    default: requestDefaults.maxMutatingInFlight,
    help: 'Limit of concurrent writes. Further writes are refused with 429. 0 means no limit.',
  },
  'request-timeout': { group, type: duration(), default: requestDefaults.timeoutMs, help: 'Timeout for requests that are not watches.' },
  'min-request-timeout': {
    group,
    type: whole(),
    default: requestDefaults.minWatchTimeoutSeconds,
    help: 'Seconds after which the server may end a watch that sets no timeout.',
  },
} as const

export function requestOptions(values: FlagValuesOf<typeof requestFlags>, problems: Problems): NonNullable<ServerChainOptions['requests']> {
  if (values['request-timeout'] === 0) problems.usage('--request-timeout must be longer than 0')
  return {
    maxReadOnlyInFlight: values['max-requests-inflight'],
    maxMutatingInFlight: values['max-mutating-requests-inflight'],
    timeoutMs: values['request-timeout'],
    minWatchTimeoutSeconds: values['min-request-timeout'],
  }
}
