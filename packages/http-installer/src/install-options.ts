import type { GroupVersionResource, RequestContext } from '@keelson/apimachinery'
import type { DiscoveryRegistry } from './discovery/discovery-registry.ts'
import type { OpenApiRegistry } from './openapi/openapi-registry.ts'

/** Called when a watch opens. Returns a function that receives the number and bytes of the events sent. */
export type WatchObserver = (of: GroupVersionResource) => (events: number, bytes: number) => void

/** Called at each use of a deprecated path, with the same object for the same path. `gone` is the release that removes it ("1.37"), or "" if unknown. */
export type DeprecationObserver = (path: { readonly gvr: GroupVersionResource; readonly subresource: string }, gone: string) => void

/** The options of installing a group. All except `priority` belong to the app and are taken from the first group installed on it. */
export interface InstallOptions {
  /** The discovery registry that lists the group. Default: a registry for this app. */
  readonly discovery?: DiscoveryRegistry
  /** The registry of the group's OpenAPI documents. Default: a registry for this app. */
  readonly openApi?: OpenApiRegistry
  /** The position of the group in `/apis`; higher values come first. Default: 0. */
  readonly priority?: number
  /** Aborts when the server stops. Watches then end without an error. */
  readonly stopping?: AbortSignal
  /** Watches without `timeoutSeconds` end after one to two times this value. Default: 1800 s. */
  readonly minRequestTimeoutSeconds?: number
  /** The size limit of request bodies. Default: 3 MiB. */
  readonly maxRequestBodyBytes?: number
  /** Returns the address that `/api` reports: "10.0.0.1:6443". Called for each request, because the port may be unknown before the server listens. */
  readonly serverAddress?: () => string | undefined
  /** Called before PUT or apply creates an object. Throws 403 if the user may update but not create. Default: allow. */
  readonly authorizeCreate?: (context: RequestContext) => Promise<void> | void
  /** Called before a GET connects to a path that needs the permission to create (`connectNeedsCreate`); throws 403. Default: allow. */
  readonly authorizeConnect?: (context: RequestContext) => Promise<void> | void
  /** Called for every watch that opens. Default: not called. */
  readonly observeWatch?: WatchObserver
  /** Called for requests of deprecated versions. Default: not called. */
  readonly observeDeprecated?: DeprecationObserver
  readonly now?: () => number
  readonly random?: () => number
  /** Called with every error that is not an ApiError and was answered with 500. */
  readonly onInternalError?: (error: unknown) => void
}

export interface InstalledRoutes {
  /** Removes the group: its paths answer 404 from the next request on. Open watches end when their storage closes. */
  uninstall(): void
}
