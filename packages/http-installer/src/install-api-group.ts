import { formatGroupVersion } from '@keelson/apimachinery'
import type { RequestInfo } from '@keelson/apimachinery'
import type { RequestAttributes, Route } from '@keelson/exchange'
import type { RESTStorage } from '@keelson/registry'
import type { Hono } from 'hono'
import type { APIGroupInfo } from './api-group-info.ts'
import { ApiSurface } from './routing/api-surface.ts'
import type { InstallerEnv } from './routing/hono.ts'
import type { DiscoveryVersion } from './discovery/discovery-registry.ts'
import { createDiscoveryVersion } from './discovery/discovery-version.ts'
import type { InstalledRoutes, InstallOptions } from './install-options.ts'
import { hasCustomResources } from './openapi/custom-document.ts'
import { createGroupItem } from './openapi/discovery-items.ts'
import type { RouteTable } from './routing/route-table.ts'
import { createDocumentSource, createSource } from './openapi/openapi-document.ts'

/**
 * Serves the versions, resources and verbs of a group under `/api` or `/apis/GROUP`, and lists the group in discovery. Installing a group
 * again replaces it. A server or `createExchanges` must run before the app's routes. Requests for paths of no installed group continue to
 * the app's next handler.
 */
export function installAPIGroup(app: Hono<InstallerEnv>, group: APIGroupInfo, options: InstallOptions = {}): InstalledRoutes {
  const routes = new GroupRoutes(ApiSurface.of(app, options), group, options.priority ?? 0)
  routes.update(group)
  return routes
}

/** The entries of a version in discovery and OpenAPI. */
interface Documents {
  readonly discovery: DiscoveryVersion
  readonly remove: () => void
}

/** One served version of a group. */
interface VersionRoutes {
  readonly storages: ReadonlyMap<string, RESTStorage>
  readonly table: RouteTable
  readonly isCustom: boolean
  /** Undefined while no resource of the version is listed. */
  documents: Documents | undefined
}

/** The routes, documents and discovery entry of one group. */
class GroupRoutes implements InstalledRoutes {
  readonly #surface: ApiSurface
  readonly #group: Omit<APIGroupInfo, 'versions' | 'storage'>
  readonly #priority: number
  readonly #versions = new Map<string, VersionRoutes>()
  /** The served versions in the order in which discovery lists them. */
  #order: Iterable<string> = []
  #unlist: (() => void) | undefined
  #removeDocument: (() => void) | undefined

  constructor(surface: ApiSurface, { group, scheme, types, admission }: APIGroupInfo, priority: number) {
    this.#surface = surface
    this.#group = { group, scheme, types, admission }
    this.#priority = priority
  }

  update({ versions, storage }: Pick<APIGroupInfo, 'versions' | 'storage'>): void {
    const servedNames = new Set<string>()
    for (const { version } of versions) {
      const storages = storage.get(version)
      if (storages === undefined || storages.size === 0) continue
      servedNames.add(version)
      if (this.#versions.get(version)?.storages !== storages) this.#put(version, storages)
    }
    for (const [version, routes] of this.#versions) {
      if (!servedNames.has(version)) this.#remove(version, routes)
    }
    this.#order = servedNames
    this.#list()
  }

  refreshDocuments(version: string): void {
    const routes = this.#versions.get(version)
    if (routes === undefined) return
    this.#document(version, routes)
    this.#list()
  }

  uninstall(): void {
    this.#unlist?.()
    for (const [version, routes] of this.#versions) this.#remove(version, routes)
    this.#removeDocument?.()
  }

  #put(version: string, storages: ReadonlyMap<string, RESTStorage>): void {
    const { group } = this.#group
    const gv = { group, version }
    const table = this.#surface.put(this.#group, gv, storages)
    const documents = this.#versions.get(version)?.documents
    const routes: VersionRoutes = { storages, table, isCustom: hasCustomResources(table), documents }
    this.#versions.set(version, routes)
    this.#document(version, routes)
  }

  #remove(version: string, { table, documents }: VersionRoutes): void {
    this.#surface.remove({ group: this.#group.group, version }, table)
    documents?.remove()
    this.#versions.delete(version)
  }

  /** Adds the documents of a version, or replaces them. Removes them if no resource is listed. */
  #document(version: string, routes: VersionRoutes): void {
    const { group } = this.#group
    const gv = { group, version }
    const { table, documents } = routes
    const [first] = table.listed
    if (first === undefined) {
      documents?.remove()
      routes.documents = undefined
      return
    }
    const path = `${group === '' ? 'api' : 'apis'}/${formatGroupVersion(gv)}`
    const remove = this.#surface.settings.openApi.add(path, createDocumentSource(gv, table))
    routes.documents = { discovery: createDiscoveryVersion(gv, table), remove }
  }

  #list(): void {
    const { group: name } = this.#group
    const versions: DiscoveryVersion[] = []
    for (const version of this.#order) {
      const { documents } = this.#versions.get(version)!
      if (documents !== undefined) versions.push(documents.discovery)
    }
    const { openApi, discovery } = this.#surface.settings
    // As in kube-apiserver, the group page of custom resources is not documented.
    if (versions.length > 0 && this.#versions.values().some(({ isCustom }) => !isCustom)) {
      this.#removeDocument ??= openApi.add(
        name === '' ? 'api' : `apis/${name}`,
        createSource((refer) => [createGroupItem(name, refer)]),
      )
    } else {
      this.#removeDocument?.()
      this.#removeDocument = undefined
    }
    if (versions.length > 0 || this.#versions.size === 0) this.#unlist = discovery.addGroup({ name, versions, priority: this.#priority })
    else this.#unlist?.()
  }
}

/** Returns whether an installed group of the app has the resource and subresource of a request. */
export function isInstalledResource(app: Hono<InstallerEnv>, attributes: RequestInfo): boolean {
  return ApiSurface.on(app)?.serves(attributes) === true
}

/**
 * Returns a function that finds the route of a request in the groups of an app, for any HTTP method. It returns undefined if no installed
 * resource has the URL.
 */
export function createRouteFinder(app: Hono<InstallerEnv>): (attributes: RequestAttributes) => Route | undefined {
  let surface: ApiSurface | undefined
  return (attributes) => (surface ??= ApiSurface.on(app))?.find(attributes)
}
