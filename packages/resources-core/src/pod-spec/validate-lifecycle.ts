import type { Lifecycle, PodOS } from '@keelson/api/core/v1'
import { fieldError } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { validateSupported } from './field-rules.ts'
import { validateHandler } from './validate-handlers.ts'

const realtimeSignals = [
  'SIGRTMIN',
  ...Array.from({ length: 15 }, (_, i) => `SIGRTMIN+${i + 1}`),
  ...Array.from({ length: 14 }, (_, i) => `SIGRTMAX-${i + 1}`),
  'SIGRTMAX',
]
const standardSignals =
  'ABRT ALRM BUS CHLD CLD CONT FPE HUP ILL INT IO IOT KILL PIPE POLL PROF PWR QUIT SEGV STKFLT STOP SYS TERM TRAP TSTP TTIN TTOU URG USR1 USR2 VTALRM WINCH XCPU XFSZ'
const linuxSignals = [...standardSignals.split(' ').map((name) => `SIG${name}`), ...realtimeSignals].toSorted()
const windowsSignals = ['SIGKILL', 'SIGTERM']

export interface LifecycleContext {
  readonly gracePeriod: number | undefined
  readonly os: DeepReadonly<PodOS> | undefined
}

export function validateLifecycle(lifecycle: DeepReadonly<Lifecycle>, context: LifecycleContext, path: FieldPath): FieldErrorList {
  const { postStart, preStop, stopSignal } = lifecycle
  const errors: FieldErrorList = []
  if (postStart !== undefined) errors.push(...validateHandler(postStart, context.gracePeriod, path.child('postStart')))
  if (preStop !== undefined) errors.push(...validateHandler(preStop, context.gracePeriod, path.child('preStop')))
  if (stopSignal !== undefined) errors.push(...validateStopSignal(stopSignal, context.os, path.child('stopSignal')))
  return errors
}

/** Validates the stop signal of a container. Requires `spec.os.name`, because signals depend on the operating system. */
function validateStopSignal(signal: string, os: DeepReadonly<PodOS> | undefined, path: FieldPath): FieldErrorList {
  if (os === undefined) return [fieldError.forbidden(path, 'may not be set for containers with empty `spec.os.name`')]
  if (os.name === 'windows') return validateSupported(signal, windowsSignals, path)
  return os.name === 'linux' ? validateSupported(signal, linuxSignals, path) : []
}
