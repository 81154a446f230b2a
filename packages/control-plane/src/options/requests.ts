import { isBoolean, isNumber } from '@keelson/apimachinery'
import type { OptionTable } from '@keelson/apimachinery'
import { installDefaults } from '@keelson/http-installer'
import { serverDefaults } from '@keelson/server'

/** Limits and timeouts of requests. */
export interface RequestOptions {
  /** Part of the seats of the server. Without `priorityAndFairness`: maximum number of concurrent reads. Additional ones get 429. 0 means no limit. */
  readonly maxReadOnlyInFlight?: number
  /** Part of the seats of the server. Without `priorityAndFairness`: maximum number of concurrent writes. Additional ones get 429. 0 means no limit. */
  readonly maxMutatingInFlight?: number
  /**
   * Queues and limits requests by FlowSchemas and PriorityLevelConfigurations. The sum of the two numbers above is then the number of seats of
   * the server. Without API group `flowcontrol.apiserver.k8s.io`, the two numbers limit requests.
   */
  readonly priorityAndFairness?: boolean
  /** Timeout in milliseconds for requests that are not watches. */
  readonly timeoutMs?: number
  /** Minimum duration in seconds of watches whose request has no timeout. */
  readonly minWatchTimeoutSeconds?: number
}

export const requestDefaults: Required<RequestOptions> = {
  maxReadOnlyInFlight: serverDefaults.limits.readOnly,
  maxMutatingInFlight: serverDefaults.limits.mutating,
  priorityAndFairness: true,
  timeoutMs: serverDefaults.requestTimeoutMs,
  minWatchTimeoutSeconds: installDefaults.minRequestTimeoutSeconds,
}

const count = isNumber({ integer: true })

export const requestChecks: OptionTable<RequestOptions> = {
  maxReadOnlyInFlight: count,
  maxMutatingInFlight: count,
  priorityAndFairness: isBoolean,
  timeoutMs: isNumber(),
  minWatchTimeoutSeconds: isNumber(),
}
