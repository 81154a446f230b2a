import { isNumber } from '@keelson/apimachinery'
import type { OptionTable } from '@keelson/apimachinery'
import { installDefaults } from '@keelson/http-installer'
import { serverDefaults } from '@keelson/server'

/** Limits and timeouts of requests. */
export interface RequestOptions {
  /** Reads at the same time; more get 429. 0 is no limit. */
  readonly maxReadOnlyInFlight?: number
  /** Writes at the same time; more get 429. 0 is no limit. */
  readonly maxMutatingInFlight?: number
  /** For requests that are not watches. */
  readonly timeoutMs?: number
  /** After this the server may end a watch that sets no timeout. */
  readonly minWatchTimeoutSeconds?: number
}

export const requestDefaults: Required<RequestOptions> = {
  maxReadOnlyInFlight: serverDefaults.limits.readOnly,
  maxMutatingInFlight: serverDefaults.limits.mutating,
  timeoutMs: serverDefaults.requestTimeoutMs,
  minWatchTimeoutSeconds: installDefaults.minRequestTimeoutSeconds,
}

const count = isNumber({ integer: true })

export const requestChecks: OptionTable<RequestOptions> = {
  maxReadOnlyInFlight: count,
  maxMutatingInFlight: count,
  timeoutMs: isNumber(),
  minWatchTimeoutSeconds: isNumber(),
}
