import { isApiError, newGenericServerResponse } from '@keelson/apimachinery'
import type { GroupVersion, RequestContext, RequestInfo } from '@keelson/apimachinery'
import type { RequestTarget } from '@keelson/exchange'
import type { Hono } from 'hono'
import type { APIGroupInfo } from './api-group-info.ts'
import type { InstallerContext, InstallerEnv } from './context.ts'
import { contentTypeOf, methodOf, requestContextOf, targetOf } from './context.ts'
import { serveDiscovery } from './discovery/serve-discovery.ts'
import { writeNothingThere } from './discovery/serve-document.ts'
import { handleList } from './handle-list.ts'
import type { InstallOptions } from './install-options.ts'
import { groupsItem } from './openapi/discovery-items.ts'
import { sourceOf } from './openapi/openapi-document.ts'
import { serveOpenApiV2 } from './openapi/serve-openapi-v2.ts'
import { serveOpenApi } from './openapi/serve-openapi.ts'
import { checkAcceptable, checkConsumable } from './preconditions.ts'
import { ClientGoneError } from './read-body.ts'
import { BrokenResponseError } from './response.ts'
import { consumes, produces, routesOf, RouteTable } from './route-table.ts'
import type { ResolvedRoute, ResourceRoutes } from './route-table.ts'
import { createScope } from './scope.ts'
import { completeSettings } from './settings.ts'
import type { SurfaceSettings } from './settings.ts'
import { queryOf, writeError } from './write-error.ts'

const surfaces = new WeakMap<object, ApiSurface>()

/**
 * All API paths of one app. Hono's routers take no new routes once they have matched a request, and groups come and go, so the app has one
 * wildcard route per prefix and the dispatch is a table of ours. Paths of unknown groups are passed on to the app's next handler.
 */
export class ApiSurface {
  readonly settings: SurfaceSettings
  /** Group and version, as in the path: "api/v1", "apis/apps/v1". */
  readonly #versions = new Map<string, RouteTable>()

  private constructor(app: Hono<InstallerEnv>, options: InstallOptions) {
    this.settings = completeSettings(options)
    this.settings.openApi.add(
      'apis',
      sourceOf((refer) => [groupsItem(refer)]),
    )
    const handler = (c: InstallerContext, next: () => Promise<void>): Promise<Response | void> => this.#dispatch(c) ?? next()
    app.all('/api', handler)
    app.all('/api/*', handler)
    app.all('/apis', handler)
    app.all('/apis/*', handler)
    const openApi = (c: InstallerContext): Promise<Response> => serveOpenApi(c, this.settings.openApi)
    app.all('/openapi/v2', (c) => serveOpenApiV2(c, this.settings.openApi))
    app.all('/openapi/v3', openApi)
    app.all('/openapi/v3/*', openApi)
  }

  /** The options count for the first call only. */
  static of(app: Hono<InstallerEnv>, options: InstallOptions): ApiSurface {
    let surface = surfaces.get(app)
    if (surface === undefined) surfaces.set(app, (surface = new ApiSurface(app, options)))
    return surface
  }

  /** Undefined: no group was installed yet. */
  static on(app: object): ApiSurface | undefined {
    return surfaces.get(app)
  }

  /** Whether the request's group, version, resource and subresource are installed; its method may still be none of theirs. */
  serves({ apiGroup, apiVersion, resource, subresource }: RequestInfo): boolean {
    const table = this.#versions.get(prefixOf({ group: apiGroup, version: apiVersion }))
    return table?.has(subresource === '' ? resource : `${resource}/${subresource}`) === true
  }

  add(info: APIGroupInfo, gv: GroupVersion, storages: ReadonlyMap<string, Parameters<typeof createScope>[3]>): RouteTable {
    const routes = new Map<string, ResourceRoutes>()
    for (const [path, storage] of storages) routes.set(path, routesOf(createScope(info, gv.version, path, storage, this.settings)))
    const table = new RouteTable(routes)
    this.#versions.set(prefixOf(gv), table)
    return table
  }

  remove(gv: GroupVersion, table: RouteTable): void {
    if (this.#versions.get(prefixOf(gv)) === table) this.#versions.delete(prefixOf(gv))
  }

  /** Undefined: not ours. */
  #dispatch(c: InstallerContext): Promise<Response> | undefined {
    const target = readTarget(c)
    if (target === undefined) return Promise.resolve(writeError(c, newGenericServerResponse(404, '', nowhere, '')))
    const { path, segments } = target
    const end = versionEnd(path)
    if (end === undefined) return undefined
    if (end < 0) {
      const answer = serveDiscovery(c, this.settings.discovery, segments, this.settings.serverAddress)
      if (answer !== undefined) return Promise.resolve(answer)
      return this.#knowsGroup(groupPrefix(segments)) ? Promise.resolve(writeNothingThere(c)) : undefined
    }
    const table = this.#versions.get(path.slice(1, end))
    if (table !== undefined) return this.#serve(c, table, segments)
    if (!this.#knowsGroup(path.slice(1, path.lastIndexOf('/', end - 1) + 1))) return undefined
    return Promise.resolve(writeNothingThere(c))
  }

  /** Whether another version of it is served; `prefix` is "apis/apps/". */
  #knowsGroup(prefix: string): boolean {
    return [...this.#versions.keys()].some((version) => version.startsWith(prefix))
  }

  async #serve(c: InstallerContext, table: RouteTable, segments: readonly string[]): Promise<Response> {
    try {
      const from = segments[0] === 'api' ? 2 : 3
      const forceWatch = segments[from] === 'watch' && segments.length > from + 1
      const route = table.resolve(segments, forceWatch ? from + 1 : from)
      if (route === undefined) throw newGenericServerResponse(404, c.req.method, nowhere, '')
      return await serveRoute(c, forceWatch ? watched(route) : route, forceWatch)
    } catch (error) {
      this.#report(c, error)
      return writeError(c, error)
    }
  }

  #report(c: InstallerContext, error: unknown): void {
    const cause = error instanceof BrokenResponseError ? error.cause : error
    if (!isApiError(cause) && !isAbort(c, cause)) this.settings.onInternalError(cause)
  }
}

/** What a client's leaving or the server's deadline brings about is no bug. */
function isAbort(c: InstallerContext, error: unknown): boolean {
  return error instanceof ClientGoneError || c.get('requestContext')?.signal.aborted === true
}

const nowhere = { group: '', resource: '' }

function serveRoute(c: InstallerContext, route: ResolvedRoute, forceWatch: boolean): Promise<Response> {
  const method = methodOf(c)
  // Over HTTP/2 any word is a method, those too that every object has as a member.
  const handler = Object.hasOwn(route.methods, method) ? route.methods[method] : undefined
  if (handler === undefined) throw newGenericServerResponse(405, method, nowhere, '')
  const consumable = consumes(c, method, handler)
  if (consumable !== undefined) checkConsumable(contentTypeOf(c), consumable)
  const more = produces(handler)
  if (more !== undefined) checkAcceptable(c, route.isList && method === 'GET', more)
  const context = inNamespace(requestContextOf(c), route.scope.namespaced ? route.namespace : '')
  const deprecation = route.scope.storage.deprecations?.[route.scope.apiVersion]
  if (deprecation !== undefined) {
    context.warn(deprecation.warning)
    route.scope.settings.observeDeprecated(route.scope, deprecation.gone ?? '')
  }
  return handler({ c, scope: route.scope, context, name: route.name, query: queryOf(c), forceWatch })
}

/** The old way to watch: the same path behind `watch/`, also for one object. */
function watched(route: ResolvedRoute): ResolvedRoute {
  const list = route.isList ? route.methods['GET'] : undefined
  return { ...route, methods: { GET: list ?? handleList }, isList: true }
}

/** A context's methods may not be spread away, so only what is asked for is copied. */
function inNamespace(context: RequestContext, namespace: string): RequestContext {
  if (context.namespace === namespace) return context
  return {
    user: context.user,
    info: context.info,
    namespace,
    signal: context.signal,
    userAgent: context.userAgent,
    fieldManager: context.fieldManager,
    requestId: context.requestId,
    warn: (text) => context.warn(text),
  }
}

/** "api/", "apis/apps/". */
function groupPrefix([root = '', group = '']: readonly string[]): string {
  return root === 'api' ? 'api/' : `${root}/${group}/`
}

function prefixOf(gv: GroupVersion): string {
  return gv.group === '' ? `api/${gv.version}` : `apis/${gv.group}/${gv.version}`
}

/** Undefined when the path is not UTF-8. An escaped slash separates like any other. */
function readTarget(c: InstallerContext): RequestTarget | undefined {
  try {
    return targetOf(c)
  } catch (error) {
    if (error instanceof URIError) return undefined
    throw error
  }
}

/** Where the version ends in "/api/VERSION/…" and "/apis/GROUP/VERSION/…"; -1 when nothing is behind it, undefined for other paths. */
function versionEnd(path: string): number | undefined {
  const version = path.startsWith('/api/') ? 5 : path.startsWith('/apis/') ? path.indexOf('/', 6) + 1 : -1
  if (version < 0) return path === '/api' || path === '/apis' ? -1 : undefined
  const end = version === 0 ? -1 : path.indexOf('/', version)
  return end === path.length - 1 ? -1 : end
}
