import { createHash } from 'node:crypto'
import type { GroupVersion, GroupVersionKind } from '@keelson/apimachinery'
import { canWatch } from '@keelson/registry'
import type { Listing } from '@keelson/registry'
import type { ResourceRoutes, RouteTable } from '../routing/route-table.ts'
import type { DiscoveryResource, DiscoveryVersion } from './discovery-registry.ts'

/** Returns the first eight bytes of a SHA-256 hash in Base64. Clients compare these hashes to detect a new storage version. */
export function computeStorageVersionHash({ group, version, kind }: GroupVersionKind): string {
  return createHash('sha256').update(`${group}/${version}/${kind}`).digest().subarray(0, 8).toString('base64')
}

/** Creates the discovery entry of a group version. Its resources are computed on first use. */
export function createDiscoveryVersion(gv: GroupVersion, table: RouteTable): DiscoveryVersion {
  let resources: readonly DiscoveryResource[] | undefined
  return {
    version: gv.version,
    isCustom: table.isCustom,
    get resources() {
      return (resources ??= listResources(table))
    },
  }
}

/** Verbs and subresources of custom resources, in the order in which kube-apiserver lists them. */
const customVerbs = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch']
/** Verbs that kube-apiserver does not list while a definition is being deleted. */
const writes = new Set(['create', 'patch', 'update'])
const customSubresources = ['', 'status', 'scale']

function listResources(table: RouteTable): readonly DiscoveryResource[] {
  const custom = new Set<string>()
  for (const { served } of table.listed) if (served.storage.isCustom === true) custom.add(served.resource)
  const rank = ({ served }: ResourceRoutes): string | number =>
    custom.has(served.resource) ? customSubresources.indexOf(served.subresource) : served.subresource
  return [...table.listed]
    .toSorted((a, b) => (a.served.resource === b.served.resource ? compare(rank(a), rank(b)) : compare(formatPath(a), formatPath(b))))
    .map((routes) => createResource(routes, custom.has(routes.served.resource), table.getListing(routes.served.resource)))
}

function compare(a: string | number, b: string | number): number {
  return a < b ? -1 : 1
}

function formatPath({ served: { resource, subresource } }: ResourceRoutes): string {
  return subresource === '' ? resource : `${resource}/${subresource}`
}

function createResource(routes: ResourceRoutes, isCustom: boolean, { listsWrites, listsStorageVersion }: Listing): DiscoveryResource {
  const { served } = routes
  const { storage, subresource } = served
  const verbs = listVerbs(routes)
  return {
    name: formatPath(routes),
    singularName: subresource === '' ? storage.singularName : '',
    namespaced: served.namespaced,
    kind: served.gvk,
    ...(isCustom && { listsFullKind: true }),
    verbs:
      isCustom && subresource === '' ? customVerbs.filter((verb) => verbs.includes(verb) && (listsWrites || !writes.has(verb))) : verbs,
    shortNames: subresource === '' ? storage.shortNames : [],
    categories: subresource === '' ? storage.categories : [],
    // A resource is stored if it can be both listed and watched.
    storageVersionHash:
      listsStorageVersion && subresource === '' && verbs.includes('list') && verbs.includes('update')
        ? computeStorageVersionHash({ ...served.hub, version: storage.storedVersion ?? served.hub.version })
        : '',
  }
}

function listVerbs({ served, item, collection }: ResourceRoutes): string[] {
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
