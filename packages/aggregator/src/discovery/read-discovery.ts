import { apidiscoveryV2 } from '@keelson/api/apidiscovery/v2'
import type { APIGroupDiscoveryList, APIResourceDiscovery, APIVersionDiscovery } from '@keelson/api/apidiscovery/v2'
import { metaV1 } from '@keelson/api/meta/v1'
import type { APIResource, APIResourceList } from '@keelson/api/meta/v1'
import { decodeJson } from '@keelson/apimachinery'
import { parseAccept } from '@keelson/exchange'

const groupListSchema = apidiscoveryV2.table.resolve('APIGroupDiscoveryList')
const resourceListSchema = metaV1.table.resolve('APIResourceList')
const unknownKind = { group: '', version: '', kind: '' }

const formatMediaType = (version: string): string => `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`

/** Media types of aggregated discovery that this server understands. */
export const aggregatedTypes: string = ['v2', 'v2beta1'].map(formatMediaType).join(',')

/** Returns whether a response is an aggregated discovery document. */
export function isAggregated(contentType: string | undefined): boolean {
  const [clause] = parseAccept(contentType ?? '')
  if (clause?.type !== 'application' || clause.subtype !== 'json') return false
  const { g, v, as } = clause.parameters
  return g === 'apidiscovery.k8s.io' && as === 'APIGroupDiscoveryList' && (v === 'v2' || v === 'v2beta1')
}

/** Reads an aggregated discovery document. Returns the versions by the names of their APIServices ("v1.apps"). Throws if it is not valid. */
export function readAggregated(body: Uint8Array): ReadonlyMap<string, APIVersionDiscovery> {
  const { items } = decodeJson<APIGroupDiscoveryList>(groupListSchema, body).object
  const versions = new Map<string, APIVersionDiscovery>()
  for (const { metadata, versions: listed = [] } of items ?? []) {
    for (const version of listed) {
      versions.set(`${version.version}.${metadata?.name ?? ''}`, { ...version, resources: (version.resources ?? []).map(withKinds) })
    }
  }
  return versions
}

/** Sets the kinds that a server left out, because old clients fail without them. */
function withKinds({ resource, responseKind, subresources, ...others }: APIResourceDiscovery): APIResourceDiscovery {
  return {
    resource,
    responseKind: responseKind ?? unknownKind,
    ...others,
    ...(subresources && {
      subresources: subresources.map(({ subresource, responseKind: kind, ...rest }) => ({
        subresource,
        responseKind: kind ?? unknownKind,
        ...rest,
      })),
    }),
  }
}

/** Reads a list of resources and converts it to an entry of aggregated discovery. Throws if it is not valid. */
export function readResourceList(body: Uint8Array, version: string): APIVersionDiscovery {
  const { resources: listed } = decodeJson<APIResourceList>(resourceListSchema, body).object
  const resources = new Map<string, APIResourceDiscovery>()
  for (const resource of listed ?? []) if (!resource.name.includes('/')) resources.set(resource.name, toEntry(resource))
  for (const resource of listed ?? []) if (resource.name.includes('/')) addSubresource(resources, resource)
  return { version, resources: [...resources.values()] }
}

function toEntry({ name, namespaced, singularName, verbs, shortNames, categories, ...kind }: APIResource): APIResourceDiscovery {
  return {
    resource: name,
    responseKind: selectKind(kind),
    scope: selectScope(namespaced),
    singularResource: singularName,
    verbs,
    ...(shortNames?.length && { shortNames }),
    ...(categories?.length && { categories }),
  }
}

function addSubresource(resources: Map<string, APIResourceDiscovery>, resource: APIResource): void {
  const at = resource.name.indexOf('/')
  const [name, subresource] = [resource.name.slice(0, at), resource.name.slice(at + 1)]
  const scope = selectScope(resource.namespaced)
  const parent = resources.get(name) ?? { resource: name, responseKind: unknownKind, scope, singularResource: '', verbs: null }
  resources.set(name, parent)
  if (parent.scope !== scope) {
    throw new Error(`Error: Parent ${name} (scope: ${parent.scope}) and subresource ${subresource} (scope: ${scope}) scope do not match`)
  }
  const subresources = (parent.subresources ??= [])
  subresources.push({ subresource, responseKind: resource.kind === '' ? unknownKind : selectKind(resource), verbs: resource.verbs })
}

function selectKind({ group = '', version = '', kind }: Pick<APIResource, 'group' | 'version' | 'kind'>): typeof unknownKind {
  return { group, version, kind }
}

function selectScope(isNamespaced: boolean): string {
  return isNamespaced ? 'Namespaced' : 'Cluster'
}
