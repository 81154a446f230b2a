import { createHash } from 'node:crypto'
import { sendBytes } from '@keelson/exchange'
import type { Exchange } from '@keelson/exchange'
import type { DiscoveryGroup, DiscoveryRegistry, DiscoveryResource, DiscoveryVersion } from './discovery-registry.ts'
import { apiVersionOf } from '../routing/served-resource.ts'

export const aggregatedMediaType = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'

/** Returns whether the Accept header requests aggregated discovery: one document with all groups, versions and resources. */
export function requestsAggregated(exchange: Exchange): boolean {
  if (!exchange.accept.includes('APIGroupDiscoveryList')) return false
  for (const { type, subtype, parameters } of exchange.acceptClauses) {
    if (type !== 'application' || subtype !== 'json') continue
    const { as, g, v } = parameters
    if (as === 'APIGroupDiscoveryList' && g === 'apidiscovery.k8s.io' && v === 'v2') return true
    // A plain media type that comes first takes precedence over aggregated discovery.
    if (as === undefined && g === undefined && v === undefined) return false
  }
  return false
}

interface CachedDocument {
  readonly generation: number
  readonly json: Buffer
  readonly etag: string
}
const cache = new WeakMap<DiscoveryRegistry, Partial<Record<'core' | 'named', CachedDocument>>>()

export function serveAggregated(exchange: Exchange, registry: DiscoveryRegistry, which: 'core' | 'named'): void {
  const { json, etag } = findDocument(registry, which)
  const headers = { etag, vary: 'Accept', 'cache-control': 'public' }
  if (exchange.header('if-none-match') === etag) return sendBytes(exchange, 304, headers, '')
  if (exchange.audit?.recordsResponse === true) exchange.audit.recordResponse(json.toString().trimEnd())
  return sendBytes(exchange, 200, { ...headers, 'content-type': aggregatedMediaType }, json)
}

function findDocument(registry: DiscoveryRegistry, which: 'core' | 'named'): CachedDocument {
  const documents = cache.get(registry) ?? {}
  cache.set(registry, documents)
  const current = documents[which]
  if (current?.generation === registry.generation) return current
  const groups = registry.groups('name').filter((group) => (group.name === '') === (which === 'core') && group.versions.length > 0)
  const items = groups.map(groupJson).join(',')
  const json = Buffer.from(`{"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","metadata":{},"items":[${items}]}\n`)
  const etag = `"${createHash('sha512').update(json).digest('hex').toUpperCase()}"`
  return (documents[which] = { generation: registry.generation, json, etag })
}

/** The entries of groups. A group that changes is another object, so that a change encodes only one of thousands of custom groups. */
const encodedGroups = new WeakMap<DiscoveryGroup, string>()

function groupJson(group: DiscoveryGroup): string {
  let json = encodedGroups.get(group)
  if (json === undefined) {
    const { name, versions } = group
    json = JSON.stringify({ metadata: name === '' ? {} : { name }, versions: versions.map((version) => createVersionEntry(name, version)) })
    encodedGroups.set(group, json)
  }
  return json
}

function createVersionEntry(group: string, { version, resources, freshness }: DiscoveryVersion): object {
  const topLevel = resources.filter((resource) => !resource.name.includes('/'))
  return {
    version,
    resources: topLevel.map((resource) => {
      const apiVersion = apiVersionOf({ group, version })
      return Object.assign(createResourceEntry(resource, apiVersion), createSubresources(resource, resources, apiVersion))
    }),
    freshness: freshness ?? 'Current',
  }
}

function createResourceEntry(listed: DiscoveryResource, apiVersion: string): object {
  const { name, namespaced, singularName, verbs, shortNames, categories } = listed
  return {
    resource: name,
    responseKind: createResponseKind(listed, apiVersion),
    scope: namespaced ? 'Namespaced' : 'Cluster',
    singularResource: singularName,
    verbs,
    ...(shortNames.length > 0 ? { shortNames } : undefined),
    ...(categories.length > 0 ? { categories } : undefined),
  }
}

function createSubresources({ name }: DiscoveryResource, resources: readonly DiscoveryResource[], apiVersion: string): object | undefined {
  const subresources = resources
    .filter((resource) => resource.name.startsWith(`${name}/`))
    .map((resource) => ({
      subresource: resource.name.slice(name.length + 1),
      responseKind: createResponseKind(resource, apiVersion),
      verbs: resource.verbs,
    }))
  return subresources.length > 0 ? { subresources } : undefined
}

/** Returns the `responseKind` of a resource. For most resources, group and version are set only if they differ from those of the list. */
function createResponseKind({ kind, listsFullKind = false }: DiscoveryResource, apiVersion: string): object {
  const isSameVersion = !listsFullKind && apiVersionOf(kind) === apiVersion
  return { group: isSameVersion ? '' : kind.group, version: isSameVersion ? '' : kind.version, kind: kind.kind }
}
