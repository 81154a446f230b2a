import type { GroupVersion, StructSchema } from '@keelson/apimachinery'
import { findMetaType } from '../encoding/meta-types.ts'
import { usualMediaTypes } from '../negotiation/negotiate.ts'
import { capitalize, formatGroupWord, formatVersionTag } from './operation-names.ts'
import type { PathItem, Refer } from './path-items.ts'

const unauthorized = { description: 'Unauthorized' }

/** A read-only path of the OpenAPI document, with its response. */
export interface Page {
  readonly path: string
  readonly description: string
  readonly operationId: string
  readonly tag: string
  readonly types: readonly string[]
  /** Accepted media types in OpenAPI v2. Default: any. */
  readonly consumes?: readonly string[]
  readonly schema: StructSchema | 'text'
}

export function createPageItem({ path, description, operationId, tag, types, consumes, schema }: Page, refer: Refer): PathItem {
  const described = schema === 'text' ? { type: 'string' } : refer(schema)
  const content = Object.fromEntries(types.map((type) => [type, { schema: described }]))
  const get = { description, operationId, responses: { 200: { description: 'OK', content }, 401: unauthorized }, tags: [tag] }
  return { path, item: { get }, ...(consumes !== undefined && { consumes }) }
}

/** Descriptions of the operations that return a kind. */
const descriptions = {
  APIGroup: 'get the versions of the group',
  APIGroupList: 'list the groups except the core group',
  APIResourceList: 'list the resources of the group version',
  APIVersions: 'get the versions of the core group',
} as const

function createDiscoveryItem(refer: Refer, path: string, operationId: string, tag: string, kind: keyof typeof descriptions): PathItem {
  const types = usualMediaTypes
  return createPageItem(
    { path, description: descriptions[kind], operationId, tag, types, consumes: types, schema: findMetaType(kind).schema },
    refer,
  )
}

/** Returns the OpenAPI path item of `/apis`. */
export function createGroupsItem(refer: Refer): PathItem {
  return createDiscoveryItem(refer, '/apis/', 'getAPIVersions', 'apis', 'APIGroupList')
}

/** Returns the OpenAPI path item of `/api` or `/apis/GROUP`. */
export function createGroupItem(group: string, refer: Refer): PathItem {
  const word = formatGroupWord(group)
  if (group === '') return createDiscoveryItem(refer, '/api/', 'getCoreAPIVersions', word, 'APIVersions')
  return createDiscoveryItem(refer, `/apis/${group}/`, `get${capitalize(word)}APIGroup`, word, 'APIGroup')
}

/** Returns the OpenAPI path item of a group version. The path lists its resources. */
export function createVersionItem(gv: GroupVersion, refer: Refer): PathItem {
  const operationId = `get${capitalize(formatGroupWord(gv.group))}${capitalize(gv.version)}APIResources`
  return createDiscoveryItem(refer, '/', operationId, formatVersionTag(gv), 'APIResourceList')
}
