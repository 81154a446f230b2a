import { lifecycleDefaults } from '@keelson/control-plane'
import type { ServerChainOptions } from '@keelson/control-plane'
import { createDurationType, onOff } from '../flag-types.ts'
import type { FlagValuesOf } from '../flag-types.ts'

const group = 'Start and stop'

/** Flags of start and shutdown. Names and defaults are the same as in kube-apiserver if it has the flag. */
export const lifecycleFlags = {
  'livez-grace-period': {
    group,
    type: createDurationType(),
    default: lifecycleDefaults.livezGraceMs,
    help: 'Time for which /livez succeeds although the start has not completed.',
  },
  'shutdown-delay-duration': {
    group,
    type: createDurationType(),
    default: lifecycleDefaults.shutdownDelayMs,
    help: 'Time for which /readyz fails before the shutdown starts.',
  },
  'shutdown-send-retry-after': {
    group,
    type: onOff(),
    default: lifecycleDefaults.shutdownSendRetryAfter,
    help: 'During a shutdown, answer requests on new connections with 429 and Retry-After until no request is in flight. By default, new connections are refused.',
  },
  'shutdown-watch-termination-grace-period': {
    group,
    type: createDurationType(),
    default: lifecycleDefaults.shutdownWatchGraceMs,
    help: 'Maximum time over which the ends of watches are spread during a shutdown. At least 200 watches end in a second. 0 ends all at once.',
  },
} as const

export function readLifecycleOptions(values: FlagValuesOf<typeof lifecycleFlags>): NonNullable<ServerChainOptions['lifecycle']> {
  return {
    livezGraceMs: values['livez-grace-period'],
    shutdownDelayMs: values['shutdown-delay-duration'],
    shutdownSendRetryAfter: values['shutdown-send-retry-after'],
    shutdownWatchGraceMs: values['shutdown-watch-termination-grace-period'],
  }
}
