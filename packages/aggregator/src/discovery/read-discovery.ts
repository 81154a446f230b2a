import { apidiscoveryV2 } from '@keelson/api/apidiscovery/v2'
import type { APIGroupDiscovery, APIResourceDiscovery, APISubresourceDiscovery, APIVersionDiscovery } from '@keelson/api/apidiscovery/v2'
import { metaV1 } from '@keelson/api/meta/v1'
import type { APIResource } from '@keelson/api/meta/v1'
import { decodeStruct, isJsonObject, parseJsonRequest, TimeSlice } from '@keelson/apimachinery'
import type { JsonObject, JsonValue, StructSchema } from '@keelson/apimachinery'
import { parseAccept } from '@keelson/exchange'

const groupSchema = apidiscoveryV2.table.resolve('APIGroupDiscovery')
const versionSchema = apidiscoveryV2.table.resolve('APIVersionDiscovery')
const resourceSchema = apidiscoveryV2.table.resolve('APIResourceDiscovery')
const subresourceSchema = apidiscoveryV2.table.resolve('APISubresourceDiscovery')
const listedSchema = metaV1.table.resolve('APIResource')
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

/** A version of a group in the discovery document of a server. */
export interface ReadVersion {
  readonly version: string
  readonly resources: readonly APIResourceDiscovery[]
  /** The resources as JSON, without brackets. */
  readonly json: string
}

/**
 * Reads an aggregated discovery document in time slices. Returns the versions by the names of their APIServices ("v1.apps"). Rejects if it is not
 * valid.
 */
export async function readAggregated(body: Uint8Array): Promise<ReadonlyMap<string, ReadVersion>> {
  const { value: document } = await parseJsonRequest(body)
  const slice = new TimeSlice()
  const versions = new Map<string, ReadVersion>()
  for (const group of listObjects(document, 'items')) {
    const { metadata } = decodeWithout<APIGroupDiscovery>(groupSchema, group, 'versions')
    for (const listed of listObjects(group, 'versions')) {
      const { version } = decodeWithout<APIVersionDiscovery>(versionSchema, listed, 'resources')
      const resources: APIResourceDiscovery[] = []
      for (const resource of listObjects(listed, 'resources')) {
        const { subresources: _subresources, ...decoded } = decodeWithout<APIResourceDiscovery>(resourceSchema, resource, 'subresources')
        const subresources: APISubresourceDiscovery[] = []
        for (const subresource of listObjects(resource, 'subresources')) {
          subresources.push(decodeStruct<APISubresourceDiscovery>(subresourceSchema, subresource).object)
          const pause = slice.pauseIfOver()
          if (pause) await pause
        }
        resources.push(withKinds({ ...decoded, ...(subresources.length > 0 && { subresources }) }))
        const pause = slice.pauseIfOver()
        if (pause) await pause
      }
      versions.set(`${version}.${metadata?.name ?? ''}`, { version, resources, json: await encodeInSlices(resources, slice) })
    }
  }
  return versions
}

/** Returns the objects of a list. An absent list is empty. Throws if it is not a list of objects. */
function listObjects(object: JsonValue, name: string): readonly JsonObject[] {
  const list = isJsonObject(object) ? (object[name] ?? []) : undefined
  if (!Array.isArray(list) || !list.every(isJsonObject)) throw new Error(`the discovery document has no list of objects in ${name}`)
  return list
}

/** Decodes an object without one of its lists, whose objects are decoded one by one. */
function decodeWithout<T>(schema: StructSchema, object: JsonObject, name: string): T {
  const { [name]: _list, ...others } = object
  return decodeStruct<T>(schema, others).object
}

async function encodeInSlices(resources: readonly APIResourceDiscovery[], slice: TimeSlice): Promise<string> {
  const texts: string[] = []
  for (const resource of resources) {
    texts.push(JSON.stringify(resource))
    const pause = slice.pauseIfOver()
    if (pause) await pause
  }
  return texts.join(',')
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

/** Reads a list of resources in time slices, and converts it to an entry of aggregated discovery. Rejects if it is not valid. */
export async function readResourceList(body: Uint8Array, version: string): Promise<ReadVersion> {
  const { value: document } = await parseJsonRequest(body)
  const slice = new TimeSlice()
  const listed: APIResource[] = []
  for (const resource of listObjects(document, 'resources')) {
    listed.push(decodeStruct<APIResource>(listedSchema, resource, { keepTypeMeta: true }).object)
    const pause = slice.pauseIfOver()
    if (pause) await pause
  }
  const byName = new Map<string, APIResourceDiscovery>()
  for (const resource of listed) if (!resource.name.includes('/')) byName.set(resource.name, toEntry(resource))
  for (const resource of listed) if (resource.name.includes('/')) addSubresource(byName, resource)
  const resources = [...byName.values()]
  return { version, resources, json: await encodeInSlices(resources, slice) }
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
  const resourceScope = selectScope(resource.namespaced)
  const parent = resources.get(name) ?? {
    resource: name,
    responseKind: unknownKind,
    scope: resourceScope,
    singularResource: '',
    verbs: null,
  }
  resources.set(name, parent)
  if (parent.scope !== resourceScope) {
    throw new Error(
      `Error: Parent ${name} (scope: ${parent.scope}) and subresource ${subresource} (scope: ${resourceScope}) scope do not match`,
    )
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
