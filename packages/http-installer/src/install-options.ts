import type { GroupVersionResource, RequestContext } from '@keelson/apimachinery'
import type { DiscoveryRegistry } from './discovery/discovery-registry.ts'
import type { OpenApiRegistry } from './openapi/openapi-registry.ts'

/** Called when a watch opens. Returns a function that is called with the number and bytes of the events that were sent. */
export type WatchObserver = (of: GroupVersionResource) => (events: number, bytes: number) => void

/** Called at each use of a deprecated path, with the same object for the same path. `gone` is the release that removes it ("1.37"), or "" if unknown. */
export type DeprecationObserver = (path: { readonly gvr: GroupVersionResource; readonly subresource: string }, gone: string) => void

/** How a group is installed. All but `priority` belong to the app and are taken from the first group installed on it. */
export interface InstallOptions {
  /** Where the group is listed. Default: a registry of the app's own. */
  readonly discovery?: DiscoveryRegistry
  /** Where its OpenAPI documents are. Default: a registry of the app's own. */
  readonly openApi?: OpenApiRegistry
  /** Place of the group in `/apis`; higher first. Default 0. */
  readonly priority?: number
  /** Aborts when the server stops: watches end politely. */
  readonly stopping?: AbortSignal
  /** Watches without `timeoutSeconds` end between one and two times this. Default 1800 s. */
  readonly minRequestTimeoutSeconds?: number
  /** Default 3 MiB. */
  readonly maxRequestBodyBytes?: number
  /** "10.0.0.1:6443", as `/api` reports it. Called at each request, because the port may be known only once the server listens. */
  readonly serverAddress?: () => string | undefined
  /** Called before PUT or apply creates an object; throws 403 if the user may update but not create. Default: allow. */
  readonly authorizeCreate?: (context: RequestContext) => Promise<void> | void
  /** Called for every watch that opens. Default: not called. */
  readonly observeWatch?: WatchObserver
  /** Called for requests of deprecated versions. Default: not called. */
  readonly observeDeprecated?: DeprecationObserver
  readonly now?: () => number
  readonly random?: () => number
  /** Called with errors that are no ApiError and were answered as 500. */
  readonly onInternalError?: (error: unknown) => void
}

export interface InstalledRoutes {
  /** The group's paths answer 404 from the next request on. Open watches end when their storage closes. */
  uninstall(): void
}
