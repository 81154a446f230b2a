import { isBoolean, isString, isMapOf } from '@keelson/apimachinery'
import type { OptionTable } from '@keelson/apimachinery'

/** Options of logs and diagnostic pages. */
export interface DiagnosticsOptions {
  /** Logs every request when it ends, at log level 3. */
  readonly logRequests?: boolean
  /** Serves profiles at `/debug/pprof/`. */
  readonly profiling?: boolean
  /** Command-line flags by name, shown at `/flagz`. Default: the page does not exist. */
  readonly flags?: Readonly<Record<string, string>>
}

export const diagnosticsDefaults = { logRequests: false, profiling: false } as const

export const diagnosticsChecks: OptionTable<DiagnosticsOptions> = { logRequests: isBoolean, profiling: isBoolean, flags: isMapOf(isString) }
