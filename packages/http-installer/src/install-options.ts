import type { GroupVersionResource, RequestContext } from '@keelson/apimachinery'
import type { DiscoveryRegistry } from './discovery/discovery-registry.ts'
import type { OpenApiRegistry } from './openapi/openapi-registry.ts'

/** Gives what is called with the events that the watch was sent, and their bytes. */
export type WatchObserver = (of: GroupVersionResource) => (events: number, bytes: number) => void

/** Called at each use of a deprecated path, with the same object for the same path. `gone`: "1.37", or "" where that is not known. */
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
  /** "10.0.0.1:6443", as `/api` tells clients. Asked at each request: the port may be known only once the server listens. */
  readonly serverAddress?: () => string | undefined
  /** Asked before a PUT or an apply creates what is absent: throws when who may change may not create. Default: everybody may. */
  readonly authorizeCreate?: (context: RequestContext) => Promise<void> | void
  /** Told of every watch that is opened. Default: nobody is. */
  readonly observeWatch?: WatchObserver
  /** Told of requests for deprecated versions. Default: nobody is. */
  readonly observeDeprecated?: DeprecationObserver
  readonly now?: () => number
  readonly random?: () => number
  /** Called with what was answered as 500 because it is no ApiError. */
  readonly onInternalError?: (error: unknown) => void
}

export interface InstalledRoutes {
  /** The group's paths answer 404 from the next request on. Open watches end when their storage closes. */
  uninstall(): void
}
