import type { InstallerContext } from '../context.ts'
import { metaDocument } from './meta-document.ts'
import { asksForAggregated, serveAggregated } from './aggregated.ts'
import type { DiscoveryGroup, DiscoveryRegistry, DiscoveryResource } from './discovery-registry.ts'
import { serveAnyMethod, serveDocument } from './serve-document.ts'
import { apiVersionOf } from '../scope.ts'

/** `segments` are the path's: ["apis"], ["apis", "apps"], ["apis", "apps", "v1"]. Undefined: no such group or version. */
export function serveDiscovery(
  c: InstallerContext,
  registry: DiscoveryRegistry,
  segments: readonly string[],
  serverAddress: () => string | undefined,
): Response | undefined {
  const document = documentOf(c, registry, segments, serverAddress)
  if (document === undefined) return undefined
  // The list of groups, and a group, are kept by a part of the original that asks for no method.
  const [root, , version] = segments
  return root === 'apis' && version === undefined ? serveAnyMethod(c, document) : serveDocument(c, document)
}

function documentOf(
  c: InstallerContext,
  registry: DiscoveryRegistry,
  [root, group = '', version]: readonly string[],
  serverAddress: () => string | undefined,
): (() => Response) | undefined {
  if (root === 'api') {
    // The core group has no name, so its version stands where others have their group.
    if (group !== '') return resourceList(c, registry.group(''), group)
    if (registry.group('') === undefined) return undefined
    return () => (asksForAggregated(c) ? serveAggregated(c, registry, 'core') : apiVersions(c, registry, serverAddress()))
  }
  if (group === '') return () => (asksForAggregated(c) ? serveAggregated(c, registry, 'named') : groupList(c, registry))
  const found = registry.group(group)
  if (version !== undefined) return resourceList(c, found, version)
  return found && (() => metaDocument(c, 'APIGroup', { ...groupEntry(found) }))
}

function apiVersions(c: InstallerContext, registry: DiscoveryRegistry, serverAddress: string | undefined): Response {
  const versions = (registry.group('')?.versions ?? []).map(({ version }) => version)
  const addresses = serverAddress === undefined ? [] : [{ clientCIDR: '0.0.0.0/0', serverAddress }]
  return metaDocument(c, 'APIVersions', { versions, serverAddressByClientCIDRs: addresses }, false)
}

function groupList(c: InstallerContext, registry: DiscoveryRegistry): Response {
  const named = registry.groups().filter((group) => group.name !== '' && group.versions.length > 0)
  return metaDocument(c, 'APIGroupList', { groups: named.map(groupEntry) })
}

function groupEntry({ name, versions }: DiscoveryGroup): object {
  const entries = versions.map(({ version }) => ({ groupVersion: apiVersionOf({ group: name, version }), version }))
  return { name, versions: entries, preferredVersion: entries[0] ?? { groupVersion: '', version: '' } }
}

function resourceList(c: InstallerContext, group: DiscoveryGroup | undefined, version: string): (() => Response) | undefined {
  const found = group?.versions.find((candidate) => candidate.version === version)
  if (group === undefined || found === undefined) return undefined
  const gv = { group: group.name, version }
  const resources = found.resources.map((resource) => resourceEntry(resource, gv))
  // The core group's list is older than lists' apiVersion and does without.
  return () => metaDocument(c, 'APIResourceList', { groupVersion: apiVersionOf(gv), resources }, group.name !== '')
}

function resourceEntry(resource: DiscoveryResource, gv: { group: string; version: string }): object {
  const { name, singularName, namespaced, kind, verbs, shortNames, categories, storageVersionHash } = resource
  const foreign = kind.group !== gv.group || kind.version !== gv.version
  return {
    name,
    singularName,
    namespaced,
    ...(foreign ? { group: kind.group, version: kind.version } : undefined),
    kind: kind.kind,
    verbs,
    ...(shortNames.length > 0 ? { shortNames } : undefined),
    ...(categories.length > 0 ? { categories } : undefined),
    ...(storageVersionHash === '' ? undefined : { storageVersionHash }),
  }
}
