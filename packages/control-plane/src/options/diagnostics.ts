import { isBoolean, isString, mapOf } from '@keelson/apimachinery'
import type { OptionTable } from '@keelson/apimachinery'

/** Information for operators. */
export interface DiagnosticsOptions {
  /** Log every request at level 3 when it ends. */
  readonly logRequests?: boolean
  /** Serve profiles at `/debug/pprof/`. */
  readonly profiling?: boolean
  /** The process's flags by name, for `/flagz`. Absent: there is no such page. */
  readonly flags?: Readonly<Record<string, string>>
}

export const diagnosticsDefaults = { logRequests: false, profiling: false } as const

export const diagnosticsChecks: OptionTable<DiagnosticsOptions> = { logRequests: isBoolean, profiling: isBoolean, flags: mapOf(isString) }
