import type { RequestAttributes, Exchange, Route } from '@keelson/exchange'
import {
  canConnect,
  canCreate,
  canCreateNamed,
  canDelete,
  canDeleteCollection,
  canGet,
  canList,
  canPatch,
  canStream,
  canUpdate,
  canWatch,
} from '@keelson/registry'
import type { DeprecationNotice, Listing, RESTStorage } from '@keelson/registry'
import { handleConnect } from '../connect/handle-connect.ts'
import { handleStream } from '../connect/handle-stream.ts'
import { endHandlerStep, startHandlerStep } from '../handlers/request-step.ts'
import { handleCreate, handleDelete, handleDeleteCollection, handleGet, handleList, handlePatch, handleUpdate } from '../handlers/verbs.ts'
import type { Handler, Method, MethodTable, ServedResource } from './served-resource.ts'
import { isApiError, newBadRequest, newGenericServerResponse, newMethodNotSupported } from '@keelson/apimachinery'
import { BrokenResponseError, isAbort } from '@keelson/exchange'
import { listPatchTypes, checkAcceptable, checkConsumable } from '../negotiation/negotiate.ts'
import { writeError, writePageNotFound } from '../encoding/write-error.ts'

/** Methods of a resource or subresource, for each kind of URL: an object, a collection, and the collection across all namespaces. */
export interface ResourceRoutes {
  readonly served: ServedResource
  readonly item: MethodTable
  /** Methods of paths below an object's subresource, such as a proxied path. */
  readonly below: MethodTable
  readonly collection: MethodTable
  /** Methods of a namespaced resource's collection across all namespaces. */
  readonly allNamespaces: MethodTable
}

function createRoutes(served: ServedResource): ResourceRoutes {
  const { storage } = served
  const list: Method | undefined = canList(storage) || canWatch(storage) ? { handle: handleList, step: 'List' } : undefined
  const item: Record<string, Method> = {}
  const withPath: Record<string, Method> = {}
  const collection: Record<string, Method> = {}
  if (canGet(storage)) item['GET'] = { handle: handleGet(storage), step: 'Get' }
  if (canUpdate(storage)) item['PUT'] = { handle: handleUpdate(storage), step: 'Update' }
  if (canPatch(storage)) item['PATCH'] = { handle: handlePatch(storage), step: 'Patch' }
  if (canDelete(storage)) item['DELETE'] = { handle: handleDelete(storage), step: 'Delete' }
  if (canCreateNamed(storage)) item['POST'] = { handle: handleCreate(storage), step: 'Create' }
  if (canStream(storage)) item['GET'] = { handle: handleStream(storage), mediaTypes: ['text/plain'], step: 'Get' }
  if (canConnect(storage)) {
    const connect: Method = { handle: handleConnect(storage), mediaTypes: 'any' }
    for (const method of storage.connectMethods) {
      item[method] = connect
      if (storage.connectOptions.path === true) withPath[method] = connect
    }
  }
  if (served.subresource === '') {
    if (list !== undefined) collection['GET'] = list
    if (canCreate(storage)) collection['POST'] = { handle: handleCreate(storage), step: 'Create' }
    if (canDeleteCollection(storage)) collection['DELETE'] = { handle: handleDeleteCollection(storage), step: 'Delete' }
  } else if (canCreate(storage) && item['POST'] === undefined) {
    item['POST'] = { handle: handleCreate(storage), step: 'Create' }
  }
  return { served, item, below: withPath, collection, allNamespaces: served.namespaced && list !== undefined ? { GET: list } : {} }
}

/** Routes of a path, one for each kind of URL. A route is undefined if no method is allowed; the URL then answers 404. */
interface PathRoutes {
  readonly namespaced: boolean
  readonly item: ResourceRoute | undefined
  readonly below: ResourceRoute | undefined
  readonly collection: ResourceRoute | undefined
  readonly allNamespaces: ResourceRoute | undefined
}

function createPathRoutes(routes: ResourceRoutes): PathRoutes {
  const { served, collection, allNamespaces } = routes
  const { item, below } = served.storage.isCustom === true ? createCustomMethods(routes) : routes
  const findRouteOf = (methods: MethodTable, isList: boolean): ResourceRoute | undefined =>
    Object.keys(methods).length === 0 ? undefined : new ResourceRoute(served, methods, isList)
  return {
    namespaced: served.namespaced,
    item: findRouteOf(item, false),
    below: findRouteOf(below, false),
    collection: findRouteOf(collection, true),
    allNamespaces: findRouteOf(allNamespaces, true),
  }
}

/**
 * Returns the methods of custom objects, including those that documents do not list. kube-apiserver creates an object after a POST to the URL
 * of any object, and serves all paths below a subresource like the subresource.
 */
function createCustomMethods({ served, item, collection }: ResourceRoutes): Pick<ResourceRoutes, 'item' | 'below'> {
  if (served.subresource !== '') return { item, below: item }
  const { POST: create } = collection
  if (create === undefined) return { item, below: {} }
  // The name in the URL has no effect.
  const handle: Handler = (request) => create.handle({ ...request, name: '' })
  return { item: { ...item, POST: { ...create, handle } }, below: {} }
}

/** HTTP methods by the verb of a request for custom objects. kube-apiserver serves them by verb: HEAD gets or lists, and `watch/` takes any method. */
const methodsByVerb: ReadonlyMap<string, string> = new Map([
  ['get', 'GET'],
  ['list', 'GET'],
  ['watch', 'GET'],
  ['create', 'POST'],
  ['update', 'PUT'],
  ['patch', 'PATCH'],
  ['delete', 'DELETE'],
  ['deletecollection', 'DELETE'],
])

const completeListing: Listing = { isListed: true, listsWrites: true, listsStorageVersion: true }

/** The routes of one path, such as "pods/status". */
interface PathEntry {
  readonly storage: RESTStorage
  /** Creates the constants of the path. */
  readonly serve: () => ServedResource
  /** Undefined until the first use. */
  routes: ResourceRoutes | undefined
  pathRoutes: PathRoutes | undefined
}

/** Routes of all paths of one version, such as "pods" and "pods/status". The routes of a path are created on first use, because most are never used. */
export class RouteTable {
  readonly #paths = new Map<string, PathEntry>()
  /** True if definitions define all resources of the table. */
  readonly isCustom: boolean

  /**
   * Creates a table with a route for each storage. `prepare` returns a function that creates the constants of a path. Takes over the routes of
   * `before` whose storage is the same, with their caches.
   */
  constructor(storages: ReadonlyMap<string, RESTStorage>, prepare: (path: string) => () => ServedResource, before?: RouteTable) {
    let isCustom = true
    for (const [path, storage] of storages) {
      if (storage.isCustom !== true && !path.includes('/')) isCustom = false
      const oldEntry = before === undefined ? undefined : before.#paths.get(path)
      const entry = oldEntry?.storage === storage ? oldEntry : { storage, serve: prepare(path), routes: undefined, pathRoutes: undefined }
      this.#paths.set(path, entry)
    }
    this.isCustom = isCustom
  }

  get resources(): Iterable<ResourceRoutes> {
    return this.#paths.values().map(openRoutes)
  }

  /** The resources that discovery and OpenAPI list, with their subresources. */
  get listed(): Iterable<ResourceRoutes> {
    return this.#paths
      .entries()
      .filter(([path]) => this.getListing(path.split('/')[0]!).isListed)
      .map(([, entry]) => openRoutes(entry))
  }

  /** Returns how discovery and OpenAPI list a resource. */
  getListing(resource: string): Listing {
    return this.#paths.get(resource)?.storage.getListing?.() ?? completeListing
  }

  /** Returns the resource at a path such as "pods". Returns undefined if the table does not have it. */
  findServed(path: string): ServedResource | undefined {
    const entry = this.#paths.get(path)
    return entry && openRoutes(entry).served
  }

  /** Returns whether the table has a path such as "pods" or "pods/status". */
  has(path: string): boolean {
    return this.#paths.has(path)
  }

  /** Returns the route for the attributes of a request. The request must be for this version. */
  find({ parts, inNamespace, pathVerb }: RequestAttributes): ResourceRoute | undefined {
    if (pathVerb === 'proxy') return undefined
    const count = parts.length
    const entry = this.#paths.get(count >= 3 ? `${parts[0]!}/${parts[2]!}` : parts[0]!)
    if (entry === undefined) return undefined
    const route = routeAt((entry.pathRoutes ??= createPathRoutes(openRoutes(entry))), count, inNamespace)
    return pathVerb === 'watch' ? route?.watched : route
  }
}

function openRoutes(entry: PathEntry): ResourceRoutes {
  return (entry.routes ??= createRoutes(entry.serve()))
}

function routeAt(routes: PathRoutes, count: number, inNamespace: boolean): ResourceRoute | undefined {
  if (inNamespace !== routes.namespaced) return routes.namespaced && count === 1 ? routes.allNamespaces : undefined
  if (count === 1) return routes.collection
  return count <= 3 ? routes.item : routes.below
}

/** Adds a warning to the response if the version of the request is deprecated. Returns the deprecation. */
export function warnIfDeprecated(exchange: Exchange, { storage, apiVersion }: ServedResource): DeprecationNotice | undefined {
  const deprecation = storage.deprecations?.[apiVersion]
  if (deprecation !== undefined) exchange.warn(deprecation.warning)
  return deprecation
}

const noResource = { group: '', resource: '' }
const noMethods: readonly string[] = []

/** Route of one kind of URL of one resource: an object, a collection, or a path below an object. */
class ResourceRoute implements Route {
  readonly served: ServedResource
  readonly namespaced: boolean
  readonly isJsonOnly: boolean
  readonly #methods: MethodTable
  readonly #isList: boolean
  #watched: ResourceRoute | undefined

  constructor(served: ServedResource, methods: MethodTable, isList: boolean) {
    this.served = served
    this.namespaced = served.namespaced
    this.isJsonOnly = served.isJsonOnly
    this.#methods = methods
    this.#isList = isList
  }

  /** Route of the same URL after `watch/`, which is the deprecated way to watch a collection or an object. */
  get watched(): ResourceRoute {
    const list = this.#isList ? this.#methods['GET'] : undefined
    return (this.#watched ??= new ResourceRoute(this.served, { GET: list ?? { handle: handleList } }, true))
  }

  async serve(exchange: Exchange): Promise<void> {
    const { span } = exchange
    try {
      await this.#handle(exchange)
    } catch (error) {
      const cause = error instanceof BrokenResponseError ? error.cause : error
      if (!isApiError(cause) && !isAbort(cause) && !exchange.aborted) this.served.settings.onInternalError(cause)
      writeError(exchange, error)
    } finally {
      if (span !== undefined) endHandlerStep(exchange, span)
    }
  }

  #handle(exchange: Exchange): Promise<void> {
    const { attributes } = exchange
    const { served } = this
    const method = served.storage.isCustom === true ? (methodsByVerb.get(attributes.verb) ?? '') : exchange.method
    // Over HTTP/2, the method may be any word, including names of members that every object inherits.
    const servedMethod = Object.hasOwn(this.#methods, method) ? this.#methods[method] : undefined
    if (servedMethod === undefined) return this.#refuse(exchange)
    const { handle, mediaTypes = noMethods, step } = servedMethod
    // As in kube-apiserver, requests for kinds without a protobuf encoding skip these checks. Their handlers check both headers.
    if (mediaTypes !== 'any' && !this.isJsonOnly) {
      if (method === 'PATCH') checkConsumable(exchange.contentType, listPatchTypes(exchange))
      checkAcceptable(exchange, this.#isList && method === 'GET', mediaTypes)
    }
    const name = attributes.parts[1] ?? ''
    if (name === '' && !this.#isList) throw newBadRequest('name must be provided')
    const deprecation = warnIfDeprecated(exchange, served)
    if (deprecation !== undefined) {
      const gone = deprecation.gone ?? ''
      exchange.audit?.recordDeprecation(gone)
      served.settings.observeDeprecated(served, gone)
    }
    if (exchange.span !== undefined && step !== undefined && attributes.verb !== 'watch') startHandlerStep(exchange, exchange.span, step)
    return handle({ exchange, served, name, query: exchange.query })
  }

  /** Answers a request whose method the URL does not have. kube-apiserver gives other answers for custom resources. */
  #refuse(exchange: Exchange): Promise<void> {
    const { method, attributes } = exchange
    const { storage, groupResource, subresource } = this.served
    if (storage.isCustom !== true) throw newGenericServerResponse(405, method, noResource, '')
    if (this.namespaced && attributes.namespace === '') {
      writePageNotFound(exchange)
      return Promise.resolve()
    }
    warnIfDeprecated(exchange, this.served)
    if (this.#isList && subresource === '' && (method === 'PUT' || method === 'PATCH')) throw newBadRequest('name must be provided')
    throw newMethodNotSupported(groupResource, attributes.verb)
  }
}
