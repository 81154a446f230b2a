import type { StructSchema } from '@keelson/apimachinery'
import type { OpenAPISchema } from '@keelson/api/openapi'
import { canConnect, canList, canStream, canWatch } from '@keelson/registry'
import { findMetaType } from '../encoding/meta-types.ts'
import { mediaTypes, usualMediaTypes, usualStreams, usualPatchTypes, withoutStrategic } from '../negotiation/negotiate.ts'
import type { ResourceRoutes } from '../routing/route-table.ts'
import type { MethodTable } from '../routing/served-resource.ts'
import { createConnectItems, createStreamItem } from './connect-items.ts'
import { describeAction, formatOperationId, formatVersionTag } from './operation-names.ts'
import type { OperationSubject } from './operation-names.ts'
import { listActionParameters, listParameters, createPathParameter, pretty, extractSharedParameters } from './parameters.ts'
import type { Component } from './parameters.ts'

/** Adds a schema to the components of the document, and returns a reference to the schema. */
export type Refer = (schema: StructSchema) => OpenAPISchema

export function createReference(definition: string): OpenAPISchema {
  return { $ref: `#/components/schemas/${definition}` }
}

/** Body schema of all patch operations. */
export const patchSchema: StructSchema = {
  kind: 'struct',
  name: 'Patch',
  definition: 'io.k8s.apimachinery.pkg.apis.meta.v1.Patch',
  fields: [],
  byName: new Map(),
}

export interface PathItem {
  /** Path after the prefix of the group version, such as "/namespaces/{namespace}/pods". */
  readonly path: string
  readonly item: Component
  /** Accepted media types of operations without a body, in OpenAPI v2. Default: any. */
  readonly consumes?: readonly string[]
  /** Kind of core/v1 whose members are the query parameters, such as "PodExecOptions". Default: they are those of `meta/v1`. */
  readonly optionsKind?: string
}

/** Resource or subresource for which path items are generated. */
interface Subject {
  readonly routes: ResourceRoutes
  /** Kind of the resource, even if the subresource has another kind. */
  readonly kind: string
  readonly refer: Refer
}

/** Returns the OpenAPI path items of a resource or subresource. `kind` is the kind of the resource. */
export function createPathItems(routes: ResourceRoutes, kind: string, refer: Refer): PathItem[] {
  const { served } = routes
  const base = `${served.namespaced ? '/namespaces/{namespace}' : ''}/${served.resource}`
  const namespace = served.namespaced ? [createPathParameter('namespace')] : []
  const name = [createPathParameter('name'), ...namespace]
  const itemPath = `${base}/{name}${served.subresource === '' ? '' : `/${served.subresource}`}`
  if (canConnect(served.storage)) return createConnectItems(served.storage, { served, kind, path: itemPath }, name)
  if (canStream(served.storage)) return [createStreamItem(served.storage, { served, kind, path: itemPath }, [...name, ...pretty])]
  const subject = { routes, kind, refer }
  const allNamespaces = served.namespaced ? routes.allNamespaces : {}
  return [
    build(`/${served.resource}`, subject, allNamespaces, [], true),
    build(base, subject, routes.collection, namespace, true),
    build(itemPath, subject, routes.item, name, false),
    ...(canWatch(served.storage) && canList(served.storage) && served.subresource === ''
      ? [
          watchItem(`/${served.resource}`, subject, allNamespaces, [], 'watchlist'),
          watchItem(base, subject, routes.collection, namespace, 'watchlist'),
          watchItem(itemPath, subject, routes.item, name, 'watch'),
        ]
      : []),
  ].flat()
}

function build(path: string, subject: Subject, methods: MethodTable, parameters: readonly Component[], isList: boolean): PathItem[] {
  const operations: Record<string, Component> = {}
  for (const method of Object.keys(methods)) operations[method.toLowerCase()] = createOperation(subject, path, decideAction(method, isList))
  if (Object.keys(operations).length === 0) return []
  return [{ path, item: extractSharedParameters(operations, [...parameters, ...pretty]) }]
}

/** Returns the OpenAPI path item of a deprecated watch path. */
function watchItem(
  path: string,
  subject: Subject,
  methods: MethodTable,
  parameters: readonly Component[],
  action: 'watch' | 'watchlist',
): PathItem[] {
  if (methods['GET'] === undefined) return []
  const get = createOperation(subject, `/watch${path}`, action)
  return [{ path: `/watch${path}`, item: extractSharedParameters({ get }, [...parameters, ...listParameters, ...pretty]) }]
}

function createOperation({ routes, kind, refer }: Subject, path: string, action: string): Component {
  const { served } = routes
  const schema = served.type === undefined ? anyObject : refer(served.type.schema)
  const isJsonOnly = served.type?.isJsonOnly === true
  const body = createBody(action, schema, { refer, isJsonOnly })
  const subject: OperationSubject = { served, kind, path }
  return {
    description: describeAction(action, served.subresource, kind),
    operationId: formatOperationId(action, subject),
    parameters: listActionParameters(action),
    ...(body === undefined ? undefined : { requestBody: body }),
    responses: createResponses(action, findAnswer(action, routes, schema, refer), isJsonOnly),
    tags: [formatVersionTag(served.gvr)],
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': { ...served.gvk },
  }
}

function findAnswer(action: string, { served }: ResourceRoutes, objectSchema: OpenAPISchema, refer: Refer): OpenAPISchema {
  switch (action) {
    case 'list': {
      const list = served.types.kind({ ...served.gvk, kind: served.listKind })
      return list === undefined ? objectSchema : refer(list.schema)
    }
    case 'delete':
      if ((served.storage as { returnsDeletedObject?: boolean }).returnsDeletedObject === true) return objectSchema
      return refer(findMetaType('Status').schema)
    case 'deletecollection':
      return refer(findMetaType('Status').schema)
    case 'watch':
    case 'watchlist':
      return refer(findMetaType('WatchEvent').schema)
    default:
      return objectSchema
  }
}

function decideAction(method: string, isList: boolean): string {
  if (method === 'GET') return isList ? 'list' : 'get'
  if (method === 'DELETE') return isList ? 'deletecollection' : 'delete'
  return method.toLowerCase()
}

const anyObject: OpenAPISchema = { type: 'object' }

function createContent(types: readonly string[], schema: OpenAPISchema): Component {
  return Object.fromEntries(types.map((type) => [type, { schema }]))
}

interface BodyOptions {
  readonly refer: Refer
  readonly isJsonOnly: boolean
}

function createBody(action: string, kind: OpenAPISchema, { refer, isJsonOnly }: BodyOptions): Component | undefined {
  switch (action) {
    case 'post':
    case 'put':
      return { content: createContent(['*/*'], kind), required: true }
    case 'patch':
      return {
        content: createContent(isJsonOnly ? withoutStrategic(usualPatchTypes) : usualPatchTypes, refer(patchSchema)),
        required: true,
      }
    case 'delete':
    case 'deletecollection':
      return { content: createContent(['*/*'], refer(findMetaType('DeleteOptions').schema)) }
    default:
      return undefined
  }
}

const statusTexts: Readonly<Record<number, string>> = { 200: 'OK', 201: 'Created', 202: 'Accepted' }
const streaming = new Set(['list', 'watch', 'watchlist'])

function createResponses(action: string, schema: OpenAPISchema, isJsonOnly: boolean): Component {
  const codes = { post: [200, 201, 202], put: [200, 201], patch: [200, 201], delete: [200, 202] }[action] ?? [200]
  const allTypes = streaming.has(action) ? [...usualMediaTypes, ...usualStreams] : usualMediaTypes
  const types = isJsonOnly ? allTypes.filter((type) => !type.startsWith(mediaTypes.protobuf)) : allTypes
  const responses = codes.map((code) => [code, { description: statusTexts[code], content: createContent(types, schema) }] as const)
  return { ...Object.fromEntries(responses), 401: { description: 'Unauthorized' } }
}
