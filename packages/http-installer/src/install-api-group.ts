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
import { createDocumentSource, sourceOf } from './openapi/openapi-document.ts'

/**
 * Serves the versions, resources and verbs of a group under `/api` or `/apis/GROUP`, and lists the group in discovery. Installing a group
 * again replaces it. A server or `createExchanges` must run before the app's routes. Requests for paths of no installed group continue to
 * the app's next handler.
 */
export function installAPIGroup(app: Hono<InstallerEnv>, info: APIGroupInfo, options: InstallOptions = {}): InstalledRoutes {
  const routes = new GroupRoutes(ApiSurface.of(app, options), info, options.priority ?? 0)
  routes.update(info)
  return routes
}

/** One served version of a group. */
interface VersionRoutes {
  readonly storages: ReadonlyMap<string, RESTStorage>
  readonly discovery: DiscoveryVersion
  readonly isCustom: boolean
  readonly remove: () => void
}

/** The routes, documents and discovery entry of one group. */
class GroupRoutes implements InstalledRoutes {
  readonly #surface: ApiSurface
  readonly #info: Omit<APIGroupInfo, 'versions' | 'storage'>
  readonly #priority: number
  readonly #versions = new Map<string, VersionRoutes>()
  #unlist: (() => void) | undefined
  #removeDocument: (() => void) | undefined

  constructor(surface: ApiSurface, { group, scheme, types, admission }: APIGroupInfo, priority: number) {
    this.#surface = surface
    this.#info = { group, scheme, types, admission }
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
    for (const [version, { remove }] of this.#versions) {
      if (servedNames.has(version)) continue
      remove()
      this.#versions.delete(version)
    }
    this.#list(Array.from(servedNames, (version) => this.#versions.get(version)!.discovery))
  }

  uninstall(): void {
    this.#unlist?.()
    for (const { remove } of this.#versions.values()) remove()
    this.#versions.clear()
    this.#removeDocument?.()
  }

  #put(version: string, storages: ReadonlyMap<string, RESTStorage>): void {
    const { group } = this.#info
    const gv = { group, version }
    const table = this.#surface.put(this.#info, gv, storages)
    const path = `${group === '' ? 'api' : 'apis'}/${formatGroupVersion(gv)}`
    const removeDocument = this.#surface.settings.openApi.add(path, createDocumentSource(gv, table))
    this.#versions.set(version, {
      storages,
      discovery: createDiscoveryVersion(gv, table),
      isCustom: hasCustomResources(table),
      remove: () => {
        this.#surface.remove(gv, table)
        removeDocument()
      },
    })
  }

  #list(versions: readonly DiscoveryVersion[]): void {
    const { group: name } = this.#info
    const { openApi, discovery } = this.#surface.settings
    // As in kube-apiserver, the group page of custom resources is not documented.
    if (versions.length > 0 && this.#versions.values().some(({ isCustom }) => !isCustom)) {
      this.#removeDocument ??= openApi.add(
        name === '' ? 'api' : `apis/${name}`,
        sourceOf((refer) => [createGroupItem(name, refer)]),
      )
    } else {
      this.#removeDocument?.()
      this.#removeDocument = undefined
    }
    this.#unlist = discovery.addGroup({ name, versions, priority: this.#priority })
  }
}

/** Returns whether an installed group of the app has the resource and subresource of a request. */
export function isInstalledResource(app: Hono<InstallerEnv>, info: RequestInfo): boolean {
  return ApiSurface.on(app)?.serves(info) === true
}

/**
 * Returns a function that finds the route of a request in the groups of an app, for any HTTP method. It returns undefined if no installed
 * resource has the URL.
 */
export function createRouteFinder(app: Hono<InstallerEnv>): (info: RequestAttributes) => Route | undefined {
  let surface: ApiSurface | undefined
  return (info) => (surface ??= ApiSurface.on(app))?.find(info)
}
