import type { GroupVersionResource, RequestContext } from '@keelson/apimachinery'
import type { Exchange } from '@keelson/exchange'
import type { APIGroupInfo } from './api-group-info.ts'
import type { Aggregation } from './discovery/aggregation.ts'
import type { DiscoveryRegistry } from './discovery/discovery-registry.ts'
import type { OpenApiRegistry } from './openapi/openapi-registry.ts'

/** Called when a watch opens. */
export type WatchObserver = (of: GroupVersionResource, exchange: Pick<Exchange, 'attributes' | 'started'>) => WatchRecorder

/** Records what one watch sends. */
export interface WatchRecorder {
  /** Records events and their size in bytes, without the framing of HTTP. */
  sent(events: number, bytes: number): void
  /** Records that the initial events have been sent, if the watch began with them (`sendInitialEvents`). */
  sentInitialEvents(): void
}

/**
 * Called for each request of a deprecated API version. The same path always has the same `path` object. `gone` is the release that removes
 * the version ("1.37"), or "" if that is unknown.
 */
export type DeprecationObserver = (path: { readonly gvr: GroupVersionResource; readonly subresource: string }, gone: string) => void

/** Options for installing a group. All except `priority` apply to the whole app, and are taken from the first group that is installed. */
export interface InstallOptions {
  /** Discovery registry that lists the group. Default: a registry for this app only. */
  readonly discovery?: DiscoveryRegistry
  /** Registry of the group's OpenAPI documents. Default: a registry for this app only. */
  readonly openApi?: OpenApiRegistry
  /** A server in front of the installed groups, which forwards the requests for some groups to other servers. Default: none. */
  readonly aggregation?: Aggregation
  /** Priority of the group in `/apis`. Higher values come first. Default: 0. */
  readonly priority?: number
  /** Signal that aborts when the server stops. Watches then end without an error. */
  readonly stopping?: AbortSignal
  /** Returns the time in milliseconds after which the next watch ends when the server stops. Default: all watches end at once. */
  readonly delayWatchEnd?: () => number
  /**
   * Minimum duration of watches without `timeoutSeconds`. They end at a random time between this value and twice this value. Default: 1800
   * s.
   */
  readonly minRequestTimeoutSeconds?: number
  /** Maximum size of request bodies in bytes. Default: 3 MiB. */
  readonly maxRequestBodyBytes?: number
  /**
   * Returns the server address in the document at `/api`, such as "10.0.0.1:6443". Called for each request, because the port may be unknown
   * before the server listens.
   */
  readonly serverAddress?: () => string | undefined
  /**
   * Called before PUT or apply creates an object. Throws 403 if the user may update but not create objects. Default: creation is allowed.
   */
  readonly authorizeCreate?: (context: RequestContext) => Promise<void> | void
  /**
   * Called before a GET request to a subresource that requires the create permission (`connectNeedsCreate`). Throws 403 if the user does
   * not have it. Default: access is allowed.
   */
  readonly authorizeConnect?: (context: RequestContext) => Promise<void> | void
  /** Called for every watch that opens. Default: no function. */
  readonly observeWatch?: WatchObserver
  /** Called for each request of a deprecated API version. Default: no function. */
  readonly observeDeprecated?: DeprecationObserver
  readonly now?: () => number
  readonly random?: () => number
  /** Called with every error that is not an ApiError. Such errors are answered with 500. */
  readonly onInternalError?: (error: unknown) => void
}

export interface InstalledRoutes {
  /** Serves other versions and storages from the next request on. Versions whose map of storages is the same object are left unchanged. */
  update(served: Pick<APIGroupInfo, 'versions' | 'storage'>): void
  /** Makes the entries of a version in discovery and OpenAPI again, after the result of `getListing` of a storage changed. */
  refreshDocuments(version: string): void
  /** Removes the group. Its paths answer 404 from the next request on. Open watches end when their storage closes. */
  uninstall(): void
}
