import { systemClock } from '@keelson/apimachinery'
import type { RequestContext } from '@keelson/apimachinery'
import type { Aggregation } from './discovery/aggregation.ts'
import { DiscoveryRegistry } from './discovery/discovery-registry.ts'
import { OpenApiRegistry } from './openapi/openapi-registry.ts'
import type { DeprecationObserver, InstallOptions, WatchObserver } from './install-options.ts'

/** Settings that all groups of an app share; see `InstallOptions`. */
export interface SurfaceSettings {
  readonly discovery: DiscoveryRegistry
  readonly openApi: OpenApiRegistry
  readonly aggregation: Aggregation | undefined
  /** Signal that aborts when the server stops. */
  readonly stopping: AbortSignal
  readonly delayWatchEnd: () => number
  readonly minRequestTimeoutSeconds: number
  readonly maxRequestBodyBytes: number
  readonly serverAddress: () => string | undefined
  readonly authorizeCreate: (context: RequestContext) => Promise<void> | void
  readonly authorizeConnect: (context: RequestContext) => Promise<void> | void
  readonly observeWatch: WatchObserver
  readonly observeDeprecated: DeprecationObserver
  readonly now: () => number
  readonly random: () => number
  readonly onInternalError: (error: unknown) => void
}

export function completeSettings(options: InstallOptions): SurfaceSettings {
  return {
    discovery: options.discovery ?? new DiscoveryRegistry(),
    openApi: options.openApi ?? new OpenApiRegistry(),
    aggregation: options.aggregation,
    stopping: options.stopping ?? new AbortController().signal,
    delayWatchEnd: options.delayWatchEnd ?? (() => 0),
    minRequestTimeoutSeconds: options.minRequestTimeoutSeconds ?? installDefaults.minRequestTimeoutSeconds,
    maxRequestBodyBytes: options.maxRequestBodyBytes ?? installDefaults.maxRequestBodyBytes,
    serverAddress: options.serverAddress ?? (() => undefined),
    authorizeCreate: options.authorizeCreate ?? (() => {}),
    authorizeConnect: options.authorizeConnect ?? (() => {}),
    observeWatch: options.observeWatch ?? (() => ({ sent: () => {}, sentInitialEvents: () => {} })),
    observeDeprecated: options.observeDeprecated ?? (() => {}),
    now: options.now ?? systemClock.now,
    random: options.random ?? Math.random,
    onInternalError: options.onInternalError ?? (() => {}),
  }
}

export const installDefaults = { minRequestTimeoutSeconds: 1800, maxRequestBodyBytes: 3_145_728 } as const
