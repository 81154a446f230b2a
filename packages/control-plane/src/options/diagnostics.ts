import { hasMethods, isBoolean, isFunction, isString, isMapOf } from '@keelson/apimachinery'
import type { OptionTable } from '@keelson/apimachinery'
import type { TraceLog } from '@keelson/tracing'

/** Options of logs, traces and diagnostic pages. */
export interface DiagnosticsOptions {
  /** Whether every request is logged when it ends, at log level 3. A function is called for each request. */
  readonly logRequests?: boolean | (() => boolean)
  /** The log of slow requests. Default: slow requests are not logged. */
  readonly slowRequests?: TraceLog
  /**
   * File with a TracingConfiguration (apiserver.config.k8s.io/v1): the OpenTelemetry collector that gets traces of requests, and the rate of
   * recorded requests. It is read once. Default: no traces are recorded.
   */
  readonly tracingConfigFile?: string
  /** Serves profiles at `/debug/pprof/`. */
  readonly profiling?: boolean
  /** Path of a Unix socket that serves profiles and `/debug/flags/v` without authentication. Default: there is none. */
  readonly debugSocketPath?: string
  /**
   * Sets the verbosity of the log, for `PUT /debug/flags/v`. Throws an error whose message is shown to the client. Default: the path does not
   * exist. It does not exist without `profiling` either.
   */
  readonly setVerbosity?: (text: string) => void
  /** Command-line flags by name, shown at `/flagz`. Default: the page does not exist. */
  readonly flags?: Readonly<Record<string, string>>
}

export const diagnosticsDefaults = { logRequests: false, profiling: false } as const

export const diagnosticsChecks: OptionTable<DiagnosticsOptions> = {
  logRequests: (value, path) => (typeof value === 'function' ? [] : isBoolean(value, path)),
  slowRequests: hasMethods('isEnabled', 'isDetailed', 'write'),
  tracingConfigFile: isString,
  profiling: isBoolean,
  debugSocketPath: isString,
  setVerbosity: isFunction,
  flags: isMapOf(isString),
}
