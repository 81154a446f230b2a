import { isBoolean, isNumber } from '@keelson/apimachinery'
import type { OptionTable } from '@keelson/apimachinery'
import { serverDefaults } from '@keelson/server'

/** Options for the start and the graceful shutdown. */
export interface LifecycleOptions {
  /** Time in milliseconds for which `/livez` succeeds although the start has not completed. */
  readonly livezGraceMs?: number
  /** Time in milliseconds for which `/readyz` fails before the shutdown starts. */
  readonly shutdownDelayMs?: number
  /** Answers new connections with 429 during the shutdown until no request is in flight. If false, new connections are refused. */
  readonly shutdownSendRetryAfter?: boolean
  /** Maximum time in milliseconds over which the ends of watches are spread during the shutdown. At least 200 watches end in a second. */
  readonly shutdownWatchGraceMs?: number
  /** Maximum time in milliseconds for which the shutdown waits for requests in flight. */
  readonly shutdownGraceMs?: number
}

export const lifecycleDefaults: Required<LifecycleOptions> = {
  livezGraceMs: 0,
  shutdownDelayMs: 0,
  shutdownSendRetryAfter: false,
  shutdownWatchGraceMs: 0,
  shutdownGraceMs: serverDefaults.closeGraceMs,
}

export const lifecycleChecks: OptionTable<LifecycleOptions> = {
  livezGraceMs: isNumber(),
  shutdownDelayMs: isNumber(),
  shutdownSendRetryAfter: isBoolean,
  shutdownWatchGraceMs: isNumber(),
  shutdownGraceMs: isNumber(),
}
