import { newNotFound } from '@keelson/apimachinery'
import type { GroupVersion, RequestInfo } from '@keelson/apimachinery'
import type { Exchange, RequestAttributes, Route } from '@keelson/exchange'
import type { RESTStorage } from '@keelson/registry'
import type { Hono } from 'hono'
import type { APIGroupInfo } from '../api-group-info.ts'
import { serveDiscovery } from '../discovery/serve-discovery.ts'
import { writeNothingThere } from '../discovery/serve-document.ts'
import { writeError } from '../encoding/write-error.ts'
import { getExchange, responseSent, withExchange } from './hono.ts'
import type { InstallerContext, InstallerEnv } from './hono.ts'
import type { InstallOptions } from '../install-options.ts'
import { createGroupsItem } from '../openapi/discovery-items.ts'
import { createSource } from '../openapi/openapi-document.ts'
import { serveOpenApiV2, serveOpenApi } from '../openapi/serve-openapi.ts'
import { EquivalentResources } from './equivalent-resources.ts'
import { RouteTable, warnIfDeprecated } from './route-table.ts'
import { prepareServedResource } from './served-resource.ts'
import type { ServedResource } from './served-resource.ts'
import { completeSettings } from '../settings.ts'
import type { SurfaceSettings } from '../settings.ts'

const surfaces = new WeakMap<object, ApiSurface>()

/**
 * Dispatches the requests of one app to the installed groups. Hono's routers accept no routes after their first match, but groups are added
 * and removed at any time. So the app has one wildcard route per prefix, and `find` searches tables that can change. Requests for unknown
 * groups continue to the app's next handler.
 */
export class ApiSurface {
  readonly settings: SurfaceSettings
  /** Route tables by group, and then by version. */
  readonly #groups = new Map<string, Map<string, RouteTable>>()
  readonly #equivalents = new EquivalentResources()

  private constructor(app: Hono<InstallerEnv>, options: InstallOptions) {
    this.settings = completeSettings(options)
    this.settings.openApi.add(
      'apis',
      createSource((refer) => [createGroupsItem(refer)]),
    )
    const handleRequest = (c: InstallerContext, next: () => Promise<void>): Promise<void> => {
      const pending = this.#serve(getExchange(c))
      if (pending === undefined) return next()
      // Sets the response in advance. Setting it later would cost each request another promise.
      c.res = responseSent
      return pending
    }
    app.all('/api', handleRequest)
    app.all('/api/*', handleRequest)
    app.all('/apis', handleRequest)
    app.all('/apis/*', handleRequest)
    const openApi = withExchange((exchange) => serveOpenApi(exchange, this.settings.openApi))
    app.all(
      '/openapi/v2',
      withExchange((exchange) => serveOpenApiV2(exchange, this.settings.openApi)),
    )
    app.all('/openapi/v3', openApi)
    app.all('/openapi/v3/*', openApi)
  }

  /** Returns the `ApiSurface` of the app. The first call creates it and uses the options; later calls ignore them. */
  static of(app: Hono<InstallerEnv>, options: InstallOptions): ApiSurface {
    let surface = surfaces.get(app)
    if (surface === undefined) surfaces.set(app, (surface = new ApiSurface(app, options)))
    return surface
  }

  /** Returns the `ApiSurface` of the app. Returns undefined if no group has been installed yet. */
  static on(app: object): ApiSurface | undefined {
    return surfaces.get(app)
  }

  /** Returns whether the group, version, resource and subresource of a request are installed, with any method. */
  serves(attributes: RequestInfo): boolean {
    const { resource, subresource } = attributes
    return this.#findTable(attributes)?.has(subresource === '' ? resource : `${resource}/${subresource}`) === true
  }

  /** Returns the route for the attributes of a request, for any method. */
  find(attributes: RequestAttributes): Route | undefined {
    return (
      this.#findRemoteRoute(attributes.apiPrefix, attributes.apiGroup, attributes.apiVersion) ??
      this.#findTable(attributes)?.find(attributes)
    )
  }

  /**
   * Serves the storages of a group version instead of those that are served now. Routes whose storage stays the same are kept, so adding a
   * resource to a large group is cheap.
   */
  put(group: Omit<APIGroupInfo, 'versions' | 'storage'>, gv: GroupVersion, storages: ReadonlyMap<string, RESTStorage>): RouteTable {
    let versions = this.#groups.get(gv.group)
    const { settings } = this
    const prepare = (path: string): (() => ServedResource) =>
      prepareServedResource({ group, version: gv.version, path, storages, equivalents: this.#equivalents, settings })
    const table = new RouteTable(storages, prepare, versions?.get(gv.version))
    if (versions === undefined) this.#groups.set(gv.group, (versions = new Map()))
    versions.set(gv.version, table)
    return table
  }

  remove(gv: GroupVersion, table: RouteTable): void {
    const versions = this.#groups.get(gv.group)
    if (versions?.get(gv.version) !== table) return
    versions.delete(gv.version)
    if (versions.size === 0) this.#groups.delete(gv.group)
  }

  #findTable({ apiPrefix, apiGroup, apiVersion }: RequestInfo): RouteTable | undefined {
    return apiPrefix === decidePrefix(apiGroup) ? this.#groups.get(apiGroup)?.get(apiVersion) : undefined
  }

  /** Serves a request. Returns undefined if the request is for no installed group. */
  #serve(exchange: Exchange): Promise<void> | undefined {
    const { route, attributes, target } = exchange
    if (route !== undefined) return route.serve(exchange)
    const [prefix = '', group = '', version = ''] = target.segments
    const remote = this.#findRemoteRoute(prefix, group, version)
    if (remote !== undefined) return remote.serve(exchange)
    const isDocument = !attributes.isResourceRequest && serveDiscovery(exchange, this.settings, target.segments)
    if (!isDocument) {
      if (this.#knowsGroup(target.segments)) writeNothingThere(exchange)
      else {
        const custom = this.#findCustomResource(attributes)
        if (custom === undefined) return undefined
        warnIfDeprecated(exchange, custom)
        writeError(exchange, newNotFound(custom.groupResource, attributes.name))
      }
    }
    return Promise.resolve()
  }

  /** Returns the route of a path if another server serves it. The APIService of v1 of the core group stands for all paths below `/api`. */
  #findRemoteRoute(prefix: string, group: string, version: string): Route | undefined {
    const { aggregation } = this.settings
    return prefix === 'api' ? aggregation?.routeOf('', 'v1') : aggregation?.routeOf(group, version)
  }

  /**
   * Returns whether a version of the group with a built-in resource is installed. In a group of custom resources, unknown paths are answered
   * like those of unknown groups.
   */
  #knowsGroup([prefix = '', group = '']: readonly string[]): boolean {
    const versions = this.#groups.get(prefix === 'api' ? '' : group)
    if (versions === undefined || prefix !== decidePrefix(prefix === 'api' ? '' : group)) return false
    return versions.values().some(({ isCustom }) => !isCustom)
  }

  /** Returns the custom resource of a request for a subresource that the resource does not have. */
  #findCustomResource(attributes: RequestInfo): ServedResource | undefined {
    if (!attributes.isResourceRequest || attributes.subresource === '') return undefined
    const served = this.#findTable(attributes)?.findServed(attributes.resource)
    return served?.storage.isCustom === true && served.namespaced === (attributes.namespace !== '') ? served : undefined
  }
}

function decidePrefix(group: string): string {
  return group === '' ? 'api' : 'apis'
}
