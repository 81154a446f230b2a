import type { Exchange } from '@keelson/exchange'
import { findRequestedProfile, serveAggregated } from './aggregated.ts'
import type { Aggregation, ListedGroup } from './aggregation.ts'
import type { DiscoveryGroup, DiscoveryRegistry, DiscoveryResource, DiscoveryVersion } from './discovery-registry.ts'
import { serveAnyMethod, serveDocument } from './serve-document.ts'
import { apiVersionOf } from '../routing/served-resource.ts'
import { newNotAcceptable } from '@keelson/apimachinery'
import type { KubeObject } from '@keelson/apimachinery'
import { encodeUnknown } from '@keelson/api'
import { toYaml } from '@keelson/apimachinery/yaml'
import { sendBytes } from '@keelson/exchange'
import { findMetaType } from '../encoding/meta-types.ts'
import { getForms, mediaTypes, prefersPretty, tryNegotiate } from '../negotiation/negotiate.ts'

interface DiscoverySettings {
  readonly discovery: DiscoveryRegistry
  /** Lists the groups instead of the registry. */
  readonly aggregation: Aggregation | undefined
  readonly serverAddress: () => string | undefined
}

/**
 * Serves the discovery document at a path, given by its segments: ["apis"], ["apis", "apps"] or ["apis", "apps", "v1"]. Returns false if
 * the group or version does not exist.
 */
export function serveDiscovery(
  exchange: Exchange,
  { discovery: registry, aggregation, serverAddress }: DiscoverySettings,
  segments: readonly string[],
): boolean {
  const [root, group = '', version] = segments
  if (segments.length > (root === 'api' ? 2 : 3)) return false
  const document = findDocument(exchange, { discovery: registry, aggregation, serverAddress }, segments)
  if (document === undefined) return false
  // As in kube-apiserver, some documents are served for every HTTP method: the list of groups, groups, and versions of custom resources.
  if (root === 'apis' && (version === undefined || findVersion(registry.group(group), version)?.isCustom === true)) {
    serveAnyMethod(exchange, document)
  } else serveDocument(exchange, document)
  return true
}

function findDocument(
  exchange: Exchange,
  { discovery: registry, aggregation, serverAddress }: DiscoverySettings,
  [root, group = '', version]: readonly string[],
): (() => void) | undefined {
  if (root === 'api') {
    // The path of the core group has no group name, so its second segment is the version.
    if (group !== '') return serveResourceList(exchange, registry.group(''), group)
    if (registry.group('') === undefined) return undefined
    return () => {
      const profile = findRequestedProfile(exchange)
      if (profile === undefined) serveApiVersions(exchange, registry, serverAddress())
      else serveAggregated(exchange, registry, 'core', profile)
    }
  }
  if (group === '') {
    return () => {
      const profile = findRequestedProfile(exchange)
      if (profile === undefined) serveGroupList(exchange, aggregation?.listedGroups() ?? registry.groups('service'))
      else serveAggregated(exchange, registry, 'named', profile)
    }
  }
  if (version !== undefined) return serveResourceList(exchange, registry.group(group), version)
  const namedGroup = aggregation?.listedGroup(group) ?? registry.group(group)
  return namedGroup && (() => serveMetaDocument(exchange, 'APIGroup', { ...groupEntry(namedGroup) }))
}

function serveApiVersions(exchange: Exchange, registry: DiscoveryRegistry, serverAddress: string | undefined): void {
  const versions = (registry.group('')?.versions ?? []).map(({ version }) => version)
  const addresses = serverAddress === undefined ? [] : [{ clientCIDR: '0.0.0.0/0', serverAddress }]
  return serveMetaDocument(exchange, 'APIVersions', { versions, serverAddressByClientCIDRs: addresses }, false)
}

function serveGroupList(exchange: Exchange, groups: Iterable<ListedGroup>): void {
  const namedGroups = [...groups].filter((group) => group.name !== '' && group.versions.length > 0)
  return serveMetaDocument(exchange, 'APIGroupList', { groups: namedGroups.map(groupEntry) })
}

function groupEntry({ name, versions }: ListedGroup): object {
  const entries = versions.map(({ version }) => ({ groupVersion: apiVersionOf({ group: name, version }), version }))
  return { name, versions: entries, preferredVersion: entries[0] ?? { groupVersion: '', version: '' } }
}

function findVersion(group: DiscoveryGroup | undefined, version: string): DiscoveryVersion | undefined {
  return group?.versions.find((candidate) => candidate.version === version)
}

function serveResourceList(exchange: Exchange, group: DiscoveryGroup | undefined, version: string): (() => void) | undefined {
  const servedVersion = findVersion(group, version)
  if (group === undefined || servedVersion === undefined) return undefined
  const gv = { group: group.name, version }
  const resources = servedVersion.resources.map((resource) => createResourceEntry(resource, gv))
  // In the core group, the resource list has no apiVersion, because the document is older than that field.
  return () => serveMetaDocument(exchange, 'APIResourceList', { groupVersion: apiVersionOf(gv), resources }, group.name !== '')
}

function createResourceEntry(resource: DiscoveryResource, gv: { group: string; version: string }): object {
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

/** Writes a discovery document in the negotiated encoding. `withVersion` is false for the two oldest kinds, which have no apiVersion. */
function serveMetaDocument(exchange: Exchange, kind: string, body: object, withVersion = true): void {
  const negotiated = tryNegotiate(exchange, 'error')
  if (negotiated === undefined) throw newNotAcceptable(getForms(exchange).mediaTypes)
  const headers = { 'content-type': mediaTypes[negotiated.form] }
  const document = { kind, ...(withVersion ? { apiVersion: 'v1' } : undefined), ...body }
  if (exchange.audit?.recordsResponse === true) exchange.audit.recordResponse(JSON.stringify(document))
  switch (negotiated.form) {
    case 'json': {
      const pretty = negotiated.pretty || prefersPretty(exchange.query, exchange.userAgent)
      return sendBytes(exchange, 200, headers, pretty ? JSON.stringify(document, undefined, 2) : `${JSON.stringify(document)}\n`)
    }
    case 'yaml':
      return sendBytes(exchange, 200, headers, toYaml(document))
    case 'cbor':
      return sendBytes(exchange, 200, headers, exchange.services.cbor!.encodeCborDocument(document))
    case 'protobuf': {
      const gvk = { group: '', version: withVersion ? 'v1' : '', kind }
      return sendBytes(exchange, 200, headers, encodeUnknown(gvk, findMetaType(kind).encodeProto(body as unknown as KubeObject)))
    }
  }
}
