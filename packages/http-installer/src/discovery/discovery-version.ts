import { createHash } from 'node:crypto'
import type { GroupVersion, GroupVersionKind } from '@keelson/apimachinery'
import { canWatch } from '@keelson/registry'
import type { ResourceRoutes, RouteTable } from '../routing/route-table.ts'
import type { DiscoveryResource, DiscoveryVersion } from './discovery-registry.ts'

/** Returns the first eight bytes of a SHA-256 hash in Base64. Clients compare these hashes to detect a new storage version. */
export function storageVersionHash({ group, version, kind }: GroupVersionKind): string {
  return createHash('sha256').update(`${group}/${version}/${kind}`).digest().subarray(0, 8).toString('base64')
}

/** Creates the discovery entry of a group version. Its resources are computed on first use. */
export function createDiscoveryVersion(gv: GroupVersion, table: RouteTable): DiscoveryVersion {
  let resources: readonly DiscoveryResource[] | undefined
  return {
    version: gv.version,
    get resources() {
      return (resources ??= Array.from(table.resources, resourceOf).toSorted((a, b) => (a.name < b.name ? -1 : 1)))
    },
  }
}

function resourceOf(routes: ResourceRoutes): DiscoveryResource {
  const { served } = routes
  const { storage, subresource } = served
  const verbs = verbsOf(routes)
  return {
    name: subresource === '' ? served.resource : `${served.resource}/${subresource}`,
    singularName: subresource === '' ? storage.singularName : '',
    namespaced: served.namespaced,
    kind: served.gvk,
    verbs,
    shortNames: subresource === '' ? storage.shortNames : [],
    categories: subresource === '' ? storage.categories : [],
    // A resource is stored if it can be both listed and watched.
    storageVersionHash:
      subresource === '' && verbs.includes('list') && verbs.includes('update')
        ? storageVersionHash({ ...served.hub, version: storage.storedVersion ?? served.hub.version })
        : '',
  }
}

function verbsOf({ served, item, collection }: ResourceRoutes): string[] {
  const verbs = new Set<string>()
  if (item['GET']) verbs.add('get')
  if (item['PUT']) verbs.add('update')
  if (item['PATCH']) verbs.add('patch')
  if (item['DELETE']) verbs.add('delete')
  if (item['POST'] || collection['POST']) verbs.add('create')
  if (collection['DELETE']) verbs.add('deletecollection')
  if (collection['GET']) {
    verbs.add('list')
    if (canWatch(served.storage)) verbs.add('watch')
  }
  return [...verbs].toSorted()
}
