import { requestDefaults } from '@keelson/control-plane'
import type { ServerChainOptions } from '@keelson/control-plane'
import { createDurationType, createIntegerType, onOff } from '../flag-types.ts'
import type { FlagValuesOf } from '../flag-types.ts'
import type { Problems } from '../start-error.ts'

const group = 'Requests'

/** Flags of request limits and timeouts. Names and defaults are the same as in kube-apiserver if it has the flag. */
export const requestFlags = {
  'max-requests-inflight': {
    group,
    type: createIntegerType(),
    default: requestDefaults.maxReadOnlyInFlight,
    help: 'Seats of the server together with --max-mutating-requests-inflight. Without priority and fairness: maximum number of concurrent reads; additional reads get 429, and 0 means no limit.',
  },
  'max-mutating-requests-inflight': {
    group,
    type: createIntegerType(),
    default: requestDefaults.maxMutatingInFlight,
    help: 'Seats of the server together with --max-requests-inflight. Without priority and fairness: maximum number of concurrent writes; additional writes get 429, and 0 means no limit.',
  },
  'enable-priority-and-fairness': {
    group,
    type: onOff(),
    default: requestDefaults.priorityAndFairness,
    help: 'Queue requests by FlowSchemas and PriorityLevelConfigurations. The sum of the two limits of concurrent requests is then the number of seats.',
  },
  'request-timeout': {
    group,
    type: createDurationType(),
    default: requestDefaults.timeoutMs,
    help: 'Timeout for requests that are not watches.',
  },
  'min-request-timeout': {
    group,
    type: createIntegerType(),
    default: requestDefaults.minWatchTimeoutSeconds,
    help: 'Minimum duration in seconds of a watch whose request has no timeout.',
  },
} as const

export function requestOptions(values: FlagValuesOf<typeof requestFlags>, problems: Problems): NonNullable<ServerChainOptions['requests']> {
  if (values['request-timeout'] === 0) problems.usage('--request-timeout must be longer than 0')
  return {
    maxReadOnlyInFlight: values['max-requests-inflight'],
    maxMutatingInFlight: values['max-mutating-requests-inflight'],
    priorityAndFairness: values['enable-priority-and-fairness'],
    timeoutMs: values['request-timeout'],
    minWatchTimeoutSeconds: values['min-request-timeout'],
  }
}
