import { isBoolean, isNumber } from '@keelson/apimachinery'
import type { OptionTable } from '@keelson/apimachinery'
import { serverDefaults } from '@keelson/server'

/** Start and stop. */
export interface LifecycleOptions {
  /** Time for which `/livez` passes although the start has not finished. */
  readonly livezGraceMs?: number
  /** Time for which `/readyz` fails before a stop begins. */
  readonly shutdownDelayMs?: number
  /** During a stop, answer new connections with 429 until nothing is in flight; otherwise they are refused. */
  readonly shutdownSendRetryAfter?: boolean
  /** Longest wait of a stop for requests in flight. */
  readonly shutdownGraceMs?: number
}

export const lifecycleDefaults: Required<LifecycleOptions> = {
  livezGraceMs: 0,
  shutdownDelayMs: 0,
  shutdownSendRetryAfter: false,
  shutdownGraceMs: serverDefaults.closeGraceMs,
}

export const lifecycleChecks: OptionTable<LifecycleOptions> = {
  livezGraceMs: isNumber(),
  shutdownDelayMs: isNumber(),
  shutdownSendRetryAfter: isBoolean,
  shutdownGraceMs: isNumber(),
}
