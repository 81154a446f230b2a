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
    help: 'Time in which /livez passes although the start is not complete.',
  },
  'shutdown-delay-duration': {
    group,
    type: duration(),
    default: lifecycleDefaults.shutdownDelayMs,
    help: 'Time between the failure of /readyz and the start of the shutdown.',
  },
  'shutdown-send-retry-after': {
    group,
    type: onOff(),
    default: lifecycleDefaults.shutdownSendRetryAfter,
    help: 'During a shutdown, answer requests on new connections with 429 and Retry-After until no request is in flight. By default, new connections are refused.',
  },
} as const

export function lifecycleOptions(values: FlagValuesOf<typeof lifecycleFlags>): NonNullable<ServerChainOptions['lifecycle']> {
  return {
    livezGraceMs: values['livez-grace-period'],
    shutdownDelayMs: values['shutdown-delay-duration'],
    shutdownSendRetryAfter: values['shutdown-send-retry-after'],
  }
}
