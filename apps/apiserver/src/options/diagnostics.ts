import type { ServerChainOptions } from '@keelson/control-plane'
import { createFileType, onOff, createChoiceType, createIntegerType } from '../flag-types.ts'
import type { FlagValuesOf } from '../flag-types.ts'

const group = 'Log and diagnostics'

/** Flags of logs and profiles. Names and defaults are the same as in kube-apiserver if it has the flag. */
export const diagnosticsFlags = {
  config: {
    group,
    type: createFileType(),
    help: 'YAML file with flags, for example "secure-port: 6443". The command line takes precedence.',
  },
  'logging-format': {
    group,
    type: createChoiceType('text', 'json'),
    default: 'text',
    help: "Format of the log: klog's text lines, or one JSON object per line.",
  },
  v: {
    group,
    type: createIntegerType(),
    default: 0,
    help: 'Verbosity of the log on stderr. 0 logs errors, start and stop; 3 also logs every request.',
  },
  profiling: { group, type: onOff(), default: true, help: 'Serve profiles at /debug/pprof/ to users with permission.' },
} as const

/** Verbosity from which every request is logged. */
const requestVerbosity = 3

export function readDiagnosticsOptions(
  values: FlagValuesOf<typeof diagnosticsFlags>,
  flags: Readonly<Record<string, string>>,
): NonNullable<ServerChainOptions['diagnostics']> {
  return { logRequests: values.v >= requestVerbosity, profiling: values.profiling, flags }
}
