import { lifecycleDefaults } from '@keelson/control-plane'
import type { ServerChainOptions } from '@keelson/control-plane'
import { duration, onOff } from '../flag-types.ts'
import type { FlagValuesOf } from '../flag-types.ts'

const group = 'Start and stop'

/** The flags of start and stop. Names and defaults are kube-apiserver's where it has the flag. */
export const lifecycleFlags = {
  'livez-grace-period': {
    group,
    type: duration(),
    default: lifecycleDefaults.livezGraceMs,
    help: 'Time for which /livez passes although the start has not finished.',
  },
  'shutdown-delay-duration': {
    group,
    type: duration(),
    default: lifecycleDefaults.shutdownDelayMs,
    help: 'Time for which /readyz fails before a stop begins.',
  },
  'shutdown-send-retry-after': {
    group,
    type: onOff(),
    default: lifecycleDefaults.shutdownSendRetryAfter,
    help: 'During a stop, refuse requests on new connections with 429 and Retry-After until no request is in flight; otherwise new connections are refused.',
  },
} as const

export function lifecycleOptions(values: FlagValuesOf<typeof lifecycleFlags>): NonNullable<ServerChainOptions['lifecycle']> {
  return {
    livezGraceMs: values['livez-grace-period'],
    shutdownDelayMs: values['shutdown-delay-duration'],
    shutdownSendRetryAfter: values['shutdown-send-retry-after'],
  }
}
