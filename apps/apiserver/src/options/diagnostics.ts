import path from 'node:path'
import type { ServerChainOptions } from '@keelson/control-plane'
import { createFileType, createModulesType, onOff, createChoiceType, createIntegerType } from '../flag-types.ts'
import type { FlagValuesOf } from '../flag-types.ts'
import type { LogVerbosity } from '../log-verbosity.ts'
import type { Problems } from '../start-error.ts'
import { checkFlagFile } from './flag-files.ts'

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
    help: 'Verbosity of the log on stderr. 0 logs errors, start and stop; 2 also logs slow requests, 3 every request.',
  },
  vmodule: {
    group,
    type: createModulesType(),
    help: 'Verbosity of single modules, as in httplog=3,trace=4. Only for --logging-format=text.',
  },
  'tracing-config-file': {
    group,
    type: createFileType(),
    help: 'TracingConfiguration file with the OpenTelemetry collector for traces of requests. Default: no traces are recorded.',
  },
  'debug-socket-path': {
    group,
    type: createFileType(),
    help: 'Unix socket that serves profiles and /debug/flags/v without authentication and authorization. Default: there is none.',
  },
  profiling: { group, type: onOff(), default: true, help: 'Serve profiles at /debug/pprof/ to users with permission.' },
} as const

type Diagnostics = NonNullable<ServerChainOptions['diagnostics']>

export interface DiagnosticsParts {
  readonly verbosity: LogVerbosity
  /** Writes a text of several lines to the log. */
  readonly writeText: (text: string) => void
  /** All flags with their values, as they are written on the command line. */
  readonly flags: Readonly<Record<string, string>>
}

export async function readDiagnosticsOptions(
  values: FlagValuesOf<typeof diagnosticsFlags>,
  { verbosity, writeText, flags }: DiagnosticsParts,
  problems: Problems,
): Promise<Diagnostics> {
  if (values.vmodule !== undefined && values['logging-format'] !== 'text') {
    problems.usage('logging.vmodule: Forbidden: Only supported for text log format')
  }
  const debugSocketPath = values['debug-socket-path']
  const tracingConfigFile = await checkFlagFile('tracing-config-file', values['tracing-config-file'], problems)
  return {
    logRequests: () => verbosity.logsRequests,
    slowRequests: { isEnabled: () => verbosity.logsSlowRequests, isDetailed: () => verbosity.logsAllSteps, write: writeText },
    ...(tracingConfigFile !== undefined && { tracingConfigFile }),
    profiling: values.profiling,
    ...(debugSocketPath !== undefined && { debugSocketPath: path.resolve(debugSocketPath) }),
    setVerbosity: (text) => verbosity.set(text),
    flags,
  }
}
