import { isBoolean, isString, mapOf } from '@keelson/apimachinery'
import type { OptionTable } from '@keelson/apimachinery'

/** Logs and diagnostic pages for operators. */
export interface DiagnosticsOptions {
  /** Logs every request at level 3 when it ends. */
  readonly logRequests?: boolean
  /** Serves profiles at `/debug/pprof/`. */
  readonly profiling?: boolean
  /** Flags of the process by name, for `/flagz`. Default: the page does not exist. */
  readonly flags?: Readonly<Record<string, string>>
}

export const diagnosticsDefaults = { logRequests: false, profiling: false } as const

export const diagnosticsChecks: OptionTable<DiagnosticsOptions> = { logRequests: isBoolean, profiling: isBoolean, flags: mapOf(isString) }
