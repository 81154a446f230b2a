import type { RequestInfo } from '@keelson/apimachinery'
import type { RequestAttributes, Route } from '@keelson/exchange'
import type { Hono } from 'hono'
import type { APIGroupInfo } from './api-group-info.ts'
import { ApiSurface } from './routing/api-surface.ts'
import type { InstallerEnv } from './routing/hono.ts'
import { createDiscoveryVersion } from './discovery/discovery-version.ts'
import type { InstalledRoutes, InstallOptions } from './install-options.ts'
import { createGroupItem } from './openapi/discovery-items.ts'
import { createDocumentSource, sourceOf } from './openapi/openapi-document.ts'

/**
 * Serves the versions, resources and verbs of a group under `/api` or `/apis/GROUP`, and lists the group in discovery. Installing a group
 * again replaces it. A server or `createExchanges` must run before the app's routes. Requests for paths of no installed group continue to
 * the app's next handler.
 */
export function installAPIGroup(app: Hono<InstallerEnv>, info: APIGroupInfo, options: InstallOptions = {}): InstalledRoutes {
  const surface = ApiSurface.of(app, options)
  const removals: (() => void)[] = []
  const versions = info.versions.flatMap((gv) => {
    const storages = info.storage.get(gv.version)
    if (storages === undefined || storages.size === 0) return []
    const table = surface.add(info, gv, storages)
    const path = gv.group === '' ? `api/${gv.version}` : `apis/${gv.group}/${gv.version}`
    removals.push(() => surface.remove(gv, table), surface.settings.openApi.add(path, createDocumentSource(gv, table)))
    return [createDiscoveryVersion(gv, table)]
  })
  const { openApi } = surface.settings
  const group = sourceOf((refer) => [createGroupItem(info.group, refer)])
  if (versions.length > 0) removals.push(openApi.add(info.group === '' ? 'api' : `apis/${info.group}`, group))
  const unlist = surface.settings.discovery.addGroup({ name: info.group, versions, priority: options.priority ?? 0 })
  return {
    uninstall() {
      unlist()
      for (const remove of removals) remove()
    },
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
