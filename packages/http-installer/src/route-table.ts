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
import { handleConnect } from './connect/handle-connect.ts'
import { handleStream } from './connect/handle-stream.ts'
import { handleCreate } from './handle-create.ts'
import { handleDelete } from './handle-delete.ts'
import { handleDeleteCollection } from './handle-delete-collection.ts'
import { handleGet } from './handle-get.ts'
import { handleList } from './handle-list.ts'
import { handlePatch } from './handle-patch.ts'
import { patchTypes } from './patch-types.ts'
import { handleUpdate } from './handle-update.ts'
import type { InstallerContext } from './context.ts'
import type { Handler, ResourceScope } from './scope.ts'

/** The methods of one path. */
export interface MethodTable {
  readonly [method: string]: Handler | undefined
}

/** One path of a version, as three kinds of URL: one object, a collection, and all namespaces' collections. */
export interface ResourceRoutes {
  readonly scope: ResourceScope
  readonly item: MethodTable
  /** Whatever is behind the item's path. */
  readonly below: MethodTable
  readonly collection: MethodTable
  /** Of a namespaced resource, without a namespace. */
  readonly allNamespaces: MethodTable
}

export interface ResolvedRoute {
  readonly scope: ResourceScope
  readonly methods: MethodTable
  readonly namespace: string
  readonly name: string
  readonly isList: boolean
}

export function routesOf(scope: ResourceScope): ResourceRoutes {
  const { storage } = scope
  const list = canList(storage) || canWatch(storage) ? handleList : undefined
  const item: Record<string, Handler> = {}
  const below: Record<string, Handler> = {}
  const collection: Record<string, Handler> = {}
  if (canGet(storage)) item['GET'] = handleGet
  if (canUpdate(storage)) item['PUT'] = handleUpdate(storage)
  if (canPatch(storage)) item['PATCH'] = handlePatch(storage)
  if (canDelete(storage)) item['DELETE'] = handleDelete(storage)
  if (canCreateNamed(storage)) item['POST'] = handleCreate(storage)
  if (canStream(storage)) item['GET'] = handleStream
  if (canConnect(storage)) {
    for (const method of storage.connectMethods) {
      item[method] = handleConnect
      if (storage.connectOptions.path === true) below[method] = handleConnect
    }
  }
  if (scope.subresource === '') {
    if (list !== undefined) collection['GET'] = list
    if (canCreate(storage)) collection['POST'] = handleCreate(storage)
    if (canDeleteCollection(storage)) collection['DELETE'] = handleDeleteCollection(storage)
  } else if (canCreate(storage) && item['POST'] === undefined) {
    item['POST'] = handleCreate(storage)
  }
  return { scope, item, below, collection, allNamespaces: scope.namespaced && list !== undefined ? { GET: list } : {} }
}

/** Media types that a method takes at all; others are refused before the request is looked at. */
export function consumes(c: InstallerContext, method: string, handler: Handler): readonly string[] | undefined {
  if (handler === handleConnect) return undefined
  return method === 'PATCH' ? patchTypes(c) : undefined
}

/** Media types that only this handler answers with; undefined: any that is asked for. */
export function produces(handler: Handler): readonly string[] | undefined {
  if (handler === handleConnect) return undefined
  return handler === handleStream ? ['text/plain'] : []
}

/** Every path of one version. */
export class RouteTable {
  readonly #routes: ReadonlyMap<string, ResourceRoutes>

  constructor(routes: ReadonlyMap<string, ResourceRoutes>) {
    this.#routes = routes
  }

  get resources(): Iterable<ResourceRoutes> {
    return this.#routes.values()
  }

  /** `path` is "pods" or "pods/status". */
  has(path: string): boolean {
    return this.#routes.has(path)
  }

  /** The path's segments behind the version are those `from` there on, decoded. Undefined: there is no such resource. */
  resolve(segments: readonly string[], from: number): ResolvedRoute | undefined {
    const route = this.#find(segments, from)
    // A path on which nothing is allowed is no path.
    return route !== undefined && allowsAnything(route.methods) ? route : undefined
  }

  #find(segments: readonly string[], from: number): ResolvedRoute | undefined {
    const count = segments.length - from
    if (segments[from] === 'namespaces' && count >= 3) {
      const namespace = segments[from + 1]!
      const resource = segments[from + 2]!
      if (count === 3) {
        // `namespaces/x/status` is a literal path and wins over a resource of that name.
        const own = this.#routes.get(`namespaces/${resource}`)
        return own === undefined ? collectionOf(this.#namespaced(resource), namespace) : item(own, '', namespace)
      }
      const name = segments[from + 3]!
      if (count === 4) return item(this.#namespaced(resource), namespace, name)
      const routes = this.#namespaced(`${resource}/${segments[from + 4]!}`)
      return count === 5 ? item(routes, namespace, name) : belowItem(routes, namespace, name)
    }
    const resource = segments[from] ?? ''
    const name = segments[from + 1] ?? ''
    const routes = this.#routes.get(count >= 3 ? `${resource}/${segments[from + 2]!}` : resource)
    if (routes === undefined) return undefined
    if (routes.scope.namespaced) {
      return count === 1 ? { scope: routes.scope, methods: routes.allNamespaces, namespace: '', name: '', isList: true } : undefined
    }
    if (count === 1) return collectionOf(routes, '')
    return count <= 3 ? item(routes, '', name) : belowItem(routes, '', name)
  }

  #namespaced(path: string): ResourceRoutes | undefined {
    const routes = this.#routes.get(path)
    return routes?.scope.namespaced === true ? routes : undefined
  }
}

function allowsAnything(methods: MethodTable): boolean {
  for (const _ in methods) return true
  return false
}

function item(routes: ResourceRoutes | undefined, namespace: string, name: string): ResolvedRoute | undefined {
  return routes && { scope: routes.scope, methods: routes.item, namespace, name, isList: false }
}

function belowItem(routes: ResourceRoutes | undefined, namespace: string, name: string): ResolvedRoute | undefined {
  return routes && { scope: routes.scope, methods: routes.below, namespace, name, isList: false }
}

function collectionOf(routes: ResourceRoutes | undefined, namespace: string): ResolvedRoute | undefined {
  return routes && { scope: routes.scope, methods: routes.collection, namespace, name: '', isList: true }
}
