import { createHash } from 'node:crypto'
import { sendBytes } from '@keelson/exchange'
import type { Exchange } from '@keelson/exchange'
import type { AggregatedGroup, DiscoveryRegistry, DiscoveryResource, DiscoveryVersion, PeerGroups } from './discovery-registry.ts'
import { apiVersionOf } from '../routing/served-resource.ts'

export const aggregatedMediaType = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'

/** The groups of a document: those that this server serves, or also those that only other servers of the cluster serve. */
type Profile = 'local' | 'peers'

/**
 * Returns the profile of aggregated discovery that the Accept header requests: one document with all groups, versions and resources. Returns
 * undefined if it requests another document.
 */
export function findRequestedProfile(exchange: Exchange): Profile | undefined {
  if (!exchange.accept.includes('APIGroupDiscoveryList')) return undefined
  for (const { type, subtype, parameters } of exchange.acceptClauses) {
    if (type !== 'application' || subtype !== 'json') continue
    const { as, g, v, profile } = parameters
    if (as === 'APIGroupDiscoveryList' && g === 'apidiscovery.k8s.io' && v === 'v2') return profile === 'nopeer' ? 'local' : 'peers'
    // A plain media type that comes first takes precedence over aggregated discovery.
    if (as === undefined && g === undefined && v === undefined) return undefined
  }
  return undefined
}

type DocumentName = 'core' | 'named' | 'merged'

interface CachedDocument {
  readonly generation: string
  readonly json: Buffer
  readonly etag: string
}
const cache = new WeakMap<DiscoveryRegistry, Partial<Record<DocumentName, CachedDocument>>>()

export function serveAggregated(exchange: Exchange, registry: DiscoveryRegistry, name: 'core' | 'named', profile: Profile): void {
  const { peers } = registry
  if (profile === 'local') peers?.count('nopeer')
  // Only named groups are merged. A request for a core resource is forwarded, but the document of the core group does not list it.
  const isMerged = name === 'named' && profile === 'peers' && peers?.merge !== undefined
  const { json, etag } = findDocument(registry, isMerged ? 'merged' : name)
  const headers = { etag, vary: 'Accept', 'cache-control': 'public' }
  if (exchange.getHeader('if-none-match') === etag) return sendBytes(exchange, 304, headers, '')
  if (exchange.audit?.recordsResponse === true) exchange.audit.recordResponse(json.toString().trimEnd())
  return sendBytes(exchange, 200, { ...headers, 'content-type': aggregatedMediaType }, json)
}

function findDocument(registry: DiscoveryRegistry, name: DocumentName): CachedDocument {
  const documents = cache.get(registry) ?? {}
  cache.set(registry, documents)
  const { peers } = registry
  const generation = name === 'merged' ? `${registry.generation}/${peers?.generation}` : String(registry.generation)
  const current = documents[name]
  const isCurrent = current?.generation === generation
  if (name === 'merged') peers?.count(isCurrent ? 'hit' : 'miss')
  if (isCurrent) return current
  const groups = registry.aggregatedGroups().filter((group) => (group.name === '') === (name === 'core'))
  const entries = groups.map(groupJson)
  const items = name === 'merged' ? mergeEntries(entries, peers!) : entries.join(',')
  const json = Buffer.from(`{"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","metadata":{},"items":[${items}]}\n`)
  const etag = `"${createHash('sha512').update(json).digest('hex').toUpperCase()}"`
  return (documents[name] = { generation, json, etag })
}

function mergeEntries(entries: readonly string[], { merge }: PeerGroups): string {
  return merge!(entries.map((entry) => JSON.parse(entry) as object))
    .map((group) => JSON.stringify(group))
    .join(',')
}

/** The entries of groups. A group that changes is another object, so that a change encodes only one of thousands of custom groups. */
const encodedGroups = new WeakMap<AggregatedGroup, string>()

function groupJson(group: AggregatedGroup): string {
  let json = encodedGroups.get(group)
  if (json === undefined) {
    const { name, versions } = group
    const metadata = JSON.stringify(name === '' ? {} : { name })
    const entries = versions.map((version) => ('json' in version ? version.json : JSON.stringify(createVersionEntry(name, version))))
    json = `{"metadata":${metadata},"versions":[${entries.join(',')}]}`
    encodedGroups.set(group, json)
  }
  return json
}

function createVersionEntry(group: string, { version, resources }: DiscoveryVersion): object {
  const topLevel = resources.filter((resource) => !resource.name.includes('/'))
  return {
    version,
    resources: topLevel.map((resource) => {
      const apiVersion = apiVersionOf({ group, version })
      return Object.assign(createResourceEntry(resource, apiVersion), createSubresources(resource, resources, apiVersion))
    }),
    freshness: 'Current',
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
